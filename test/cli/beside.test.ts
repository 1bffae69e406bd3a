/** Scripts that a launch script starts or sources are read from beside it. */
import { expect, it } from 'vitest'
import { withScripts } from '../../api/cli/beside.ts'
import { run } from './world.ts'

const files = { 'x/a.sh': 'A=1\n', 'x/b.sh': 'run $A $1\n', 'x/c.sh': 'EOF\nEND\nEND_OF_FILE\n' }

function read(name: string): string {
  const text = Object.entries(files).find(([file]) => file === name)?.[1]
  if (text === undefined) throw new Error(`cannot read ${name}`)
  return text
}

it('whatever directory their names have, and none that is not there', () => {
  const head = '#!/bin/bash\n#SBATCH --nodes=4\n'
  const text =
    'source "$(dirname "$0")/a.sh"\nX=1 bash $DIR/b.sh 1\n. ./c.sh\nsource /opt/d.sh\nsource venv/bin/activate\n'
  expect(withScripts(head + text, 'x/run.sh', read)).toBe(
    `${head}cat > 'a.sh' <<'EOF'\nA=1\nEOF\ncat > 'b.sh' <<'EOF'\nrun $A $1\nEOF\n${text}`,
  )
  expect(withScripts('vllm serve m\n', 'run.sh', read)).toBe('vllm serve m\n')
})

it('for --launch', async () => {
  const words = ['evaluate', '--chip', 'h100-sxm', '--mode', 'generate', '--seq', '4k']
  const { out, err, code } = await run([...words, '--launch', 'vllm=x/run.sh'], {
    'x/run.sh': '. ./env.sh\nvllm serve $MODEL --tensor-parallel-size $TP\n',
    'x/env.sh': 'MODEL=meta-llama/Llama-3.3-70B-Instruct\nTP=4\n',
  })
  expect([err, code]).toEqual([expect.anything(), 0])
  expect(out).toMatch(/tensor 4/)
})

it('a file of settings, from where the script lies or from beside it', () => {
  const toml = '[training]\nseq_len = 512\n'
  const own = { 'x/own.toml': toml }
  const found = (name: string) => own[name as keyof typeof own] ?? read(name)
  const text = 'run --job.config_file ./configs/own.toml\n'
  const written = withScripts(text, 'x/run.sh', found)
  expect(written).toBe(`cat > './configs/own.toml' <<'EOF'\n${toml}EOF\n${text}`)
  expect(withScripts(text, 'y/run.sh', found)).toBe(text)
})

it.each([
  '--config ',
  '--config=',
  '--extra_llm_api_options "',
  '--extra-engine-args ',
])("a server's file of options behind %s", (option) => {
  const text = `serve m ${option}own.yaml"\ncp own.yml elsewhere.yaml\n`
  const found = (name: string) => {
    if (/own|elsewhere/.test(name)) return 'tensor-parallel-size: 2\n'
    throw new Error(`cannot read ${name}`)
  }
  const written = withScripts(text, 'x/run.sh', found)
  expect(written).toBe(`cat > 'own.yaml' <<'EOF'\ntensor-parallel-size: 2\nEOF\n${text}`)
})

it('a server with its file of options', async () => {
  const words = ['evaluate', '--chip', 'h100-sxm', '--mode', 'generate', '--seq', '4k']
  const { out, code } = await run([...words, '--launch', 'vllm=x/run.sh'], {
    'x/run.sh': 'vllm serve meta-llama/Llama-3.3-70B-Instruct --config own.yaml\n',
    'x/own.yaml': 'tensor-parallel-size: 4\n',
  })
  expect([code, out]).toEqual([0, expect.stringMatching(/tensor 4/)])
})
