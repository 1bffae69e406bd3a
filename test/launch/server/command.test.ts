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

const tensorrt = (text: string, own: typeof context) => readTensorrt(text, null, own)

it.each([
  ['SGLang', readSglang, 'python3 -m sglang.launch_server --model-path org/m --tp 8'],
  ['SGLang by its own name', readSglang, 'sglang serve --model-path org/m --tp 8'],
  ['TensorRT-LLM', tensorrt, 'trtllm-serve org/m --tp_size 8'],
  ['TensorRT-LLM behind its launcher', tensorrt, 'trtllm-llmapi-launch trtllm-serve org/m --tp_size 8'],
])('a command of %s that another carries is one, and the same', (_, readIn, command) => {
  const plain = readIn(command, context)
  for (const text of [`bash -c "${command}"`, `srun --mpi=pmix bash -c '${command}'`, `ssh h "${command}"`]) {
    const { plan, notes, unread } = readIn(text, context)
    expect([plan, notes, unread], text).toEqual([plain.plan, plain.notes, plain.unread])
  }
})

it('of several commands the last is read, and a note says so', () => {
  const notes = (text: string) => readVllm(text, context).notes.join()
  const two = 'vllm serve org/m -tp 2\nvllm serve org/m -tp 4\nvllm bench serve --model org/m'
  expect(readVllm(two, context).plan.mesh).toMatchObject({ tensor: 4 })
  expect(notes(two)).toMatch(/of 2 commands that start vLLM the last is read/)
  expect(notes('vllm serve org/m -tp 4\nvllm serve org/m -tp 4')).not.toMatch(/commands that start/)
})

it('of several commands those that differ from the last in more than where they run are not read', () => {
  const last = 'vllm serve org/m -tp 4 --port 8001'
  const unread = (first: string) => readVllm(`${first}\n${last}`, context).unread
  expect(unread('vllm serve org/m --port=8000 --host 10.0.0.1 --tensor-parallel-size 4')).toEqual([])
  expect(unread('vllm serve org/m -tp 2 --port 8000')).toEqual(['org/m --tensor-parallel-size 2'])
  expect(unread('vllm serve org/n -tp 4')).toEqual(['org/n --tensor-parallel-size 4'])
  const node = (rank: number) => `vllm serve org/m -tp 8 -n 2 -r ${rank}`
  expect(readVllm(`${node(0)} --max-num-seqs 64\n${node(1)}`, { ...context, chips: 16 }).unread).toEqual([])
})

// vllm-project/vllm 01e4fce, docs/serving/data_parallel_deployment.md
it.each([
  ['--headless', 'vllm serve org/m -tp 8 --max-num-seqs 64 --nnodes 2 --node-rank 0', '--headless'],
  ['a start rank', 'vllm serve org/m -tp 8 -dp 2 -dpl 1 --max-num-seqs 64', '--headless -dpr 1'],
  ['a node', 'vllm serve org/m -tp 8 -n 2 -r 0 --max-num-seqs 64', '-n 2 -r 1'],
])('of the nodes of a server the first is read, in either order: the other has %s', (_, first, more) => {
  const other = `vllm serve org/m -tp 8 ${more}`
  for (const text of [`${first}\n${other}`, `${other}\n${first}`]) {
    const { mostSequences, notes } = readVllm(text, { ...context, chips: 16 })
    expect(mostSequences).toBe(readVllm(first, { ...context, chips: 16 }).mostSequences)
    expect(notes).toContain('of 2 commands that start vLLM that of the first node is read')
  }
  expect(readVllm(other, { ...context, chips: 16 }).mostSequences).toBeUndefined()
})

it('the first of the nodes may have no ranks of its own', () => {
  const ranks = 'vllm serve org/m -dp 4 --data-parallel-size-local'
  const text = `${ranks} 0 --max-num-seqs 64\n${ranks} 4 --headless`
  const { faults, mostSequences } = readVllm(text, { ...context, chips: 4 })
  expect([faults, mostSequences]).toEqual([[], 4 * 64])
})

it('of the nodes of SGLang the first is read, and the last of several that are alike', () => {
  const node = (rank: number, more = '') =>
    `python3 -m sglang.launch_server --model-path org/m --tp 16 --nnodes 2 --node-rank ${rank} ${more}`
  const text = `${node(0, '--max-running-requests 32')}\n${node(1)}`
  expect(readSglang(text, { ...context, chips: 16 }).mostSequences).toBe(32)
  const three = `${text}\n${node(0, '--max-running-requests 48')}`
  const { mostSequences, notes } = readSglang(three, { ...context, chips: 16 })
  expect(mostSequences).toBe(48)
  expect(notes).toContain('of 3 commands that start SGLang the last of the first node is read')
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
