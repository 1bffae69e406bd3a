/** Server commands in all their usual forms are read like the plain one, and the command of another program is a fault that names it. */
import { expect, it } from 'vitest'
import { readSglang } from '../../../src/launch/sglang/read.ts'
import { readTensorrt } from '../../../src/launch/tensorrt-llm/read.ts'
import { readVllm } from '../../../src/launch/vllm/read.ts'

const context = { chips: 8, slices: 1, mode: 'generate', model: null }
const options = '--max-model-len 8192 --max-num-seqs 64'
const docker =
  'docker run --runtime nvidia --gpus all -v ~/models:/models --env "A=b" -p 8000:8000 --ipc=host'

it.each([
  `${docker} vllm/vllm-openai:v0.11.0 --model org/m -tp 8 ${options}`,
  `${docker} \\\n  vllm/vllm-openai --model org/m \\\n -tp 8 ${options}`,
  `${docker} --entrypoint bash vllm/vllm-openai:latest -c "vllm serve org/m -tp 8 ${options}"`,
  `${docker} rocm/vllm:latest vllm serve org/m -tp 8 ${options}`,
  `bash -c 'export A=1; /usr/bin/vllm serve org/m -tp 8 ${options}'`,
  `python3 -m vllm.entrypoints.openai.api_server --model org/m -tp 8 ${options}`,
  `--model org/m -tp 8 ${options}`,
  `org/m -tp 8 ${options}`,
])('%s', (text) => {
  // An option that stands for a word is asked for where the word is not there.
  const { known: _, ...read } = readVllm(text, context)
  expect(readVllm(`vllm serve org/m -tp 8 ${options}`, context)).toMatchObject(read)
})

it('of several commands the last is read, and a note says so', () => {
  const notes = (text: string) => readVllm(text, context).notes.join()
  const two = 'vllm serve org/m -tp 2\nvllm serve org/m -tp 4\nvllm bench serve --model org/m'
  expect(readVllm(two, context).plan.mesh).toMatchObject({ tensor: 4 })
  expect(notes(two)).toMatch(/of 2 commands that start vLLM the last is read/)
  expect(notes('vllm serve org/m -tp 4\nvllm serve org/m -tp 4')).not.toMatch(/commands that start/)
})

it('short names are read as the long ones', () => {
  const long = `vllm serve org/m -tp 4 -dp 2 ${options}`
  const short = `${long} -ep -dpl 1 -dpa 10.0.0.1 -dpp 1234 -dpe -sc '{"method":"mtp"}' -cc '{}' -n 2 -r 0`
  const { plan, notes, notUnderstood } = readVllm(short, context)
  expect([plan, notUnderstood]).toEqual([readVllm(`${long} -ep`, context).plan, []])
  expect(notes.join()).toMatch(/--speculative-config is not counted/)
  expect(readVllm(`${long} --speculative-config.method mtp`, context).notes).toEqual(notes)
  const step = readVllm(`vllm serve org/m -tp 8 --max-num-batched-tokens 16k`, { ...context, mode: 'serve' })
  expect(step.plan).toMatchObject({ stepTokens: 16000 })
})

it('SGLang behind docker run is read as without', () => {
  const plain = 'python3 -m sglang.launch_server --model-path org/m --tp 8'
  expect(readSglang(`${docker} lmsysorg/sglang:latest ${plain}`, context)).toEqual(readSglang(plain, context))
  expect(readSglang(plain, context).named).toBe('org/m')
})

it.each([
  'rm -rf /',
  'docker run nginx:latest -tp 8',
  'python train.py --tp 8',
  '# nothing',
  'run.sh',
])('%s is no command of a server, and is told by its program', (text) => {
  for (const { faults, named } of [
    readVllm(text, context),
    readSglang(text, context),
    readTensorrt(text, {}, context),
  ]) {
    expect(faults).toEqual([
      expect.stringMatching(/^(the program is (docker run )?\S+|the text has no command), where one of/),
    ])
    expect(named).toBeUndefined()
  }
})
