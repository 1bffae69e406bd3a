/** What a check finds in a launch file stands on the line of the option that it is about, in whatever file that is. */
import { describe, expect, it } from 'vitest'
import { placeInLaunch } from '../../api/cli/launch-lines.ts'
import { optionsOfField } from '../../src/launch/field-options.ts'
import { run } from './world.ts'

const script = `#!/bin/bash
# --tensor-model-parallel-size 4 was too slow
TP=8
ARGS="
  --num-layers 32 --hidden-size 4096 --ffn-hidden-size 14336 --num-attention-heads 32 --group-query-attention --num-query-groups 8
  --seq-length 4096 --max-position-embeddings 4096 --micro-batch-size 1 --bf16 --swiglu --untie-embeddings-and-output-weights
  --position-embedding-type rope --vocab-size 128256
  --tensor-model-parallel-size $TP
  --sequence-parallel
  --global-batch-size 64
  --frobnicate
"
torchrun --nproc-per-node 8 --nnodes 2 pretrain_gpt.py $ARGS
`

describe('a finding', () => {
  const place = (pointer: string, message: string, texts = [{ file: 'run.sh', text: script, first: 1 }]) =>
    placeInLaunch({ pointer, message }, texts)

  it.each([
    ['/plan/megatron', '--frobnicate is no option of megatron', 11],
    ['/plan/mesh/tensor', 'tensor is 8', 8],
    ['/plan/mesh', 'the mesh is too small', 8],
    ['/plan/megatron', '/workload/batchSequences has to be a multiple of 3', 10],
    ['/memoryBudget', 'Stage 0 needs 90 GB', 13],
    ['/require/minMfu', 'The MFU is 10 %', 13],
  ])('at %s: %s', (pointer, message, line) => {
    expect(place(pointer, message)).toEqual({ file: 'run.sh', line })
  })

  it('stands in the file beside it that has the option, and in a key of a section', () => {
    const beside = [
      { file: 'run.sh', text: '. ./args.sh\ntorchrun train.py $ARGS\n', first: 1 },
      { file: 'args.sh', text: 'A=1\nARGS="--tp_size 4"\n', first: 1 },
    ]
    expect(place('/plan/mesh/tensor', '', beside)).toEqual({ file: 'args.sh', line: 2 })
    const toml = { file: 'a.toml', text: '[parallelism]\ntensor_parallel_degree = 4\n', first: 1 }
    expect(place('', 'parallelism.tensor_parallel_degree is 4', [toml])?.line).toBe(2)
    expect(place('', '', [{ ...toml, first: 7 }])?.line).toBe(7)
  })
})

it('a field has the options of what it is inside of, and a mesh those of its axes', () => {
  expect(optionsOfField('/precision/weights')).toContain('--quantization')
  expect(optionsOfField('/plan/mesh')).toEqual(expect.arrayContaining(['tp-size', 'ep-size']))
  expect(optionsOfField('/require/minMfu')).toEqual([])
})

describe('a report', () => {
  const about = ['check', '--chip', 'h100-sxm', '--set', 'constraints.pipeline=1', '--format', 'github']
  const first = (out: string) => out.split(',title')[0]

  it('of --launch has the line in that file', async () => {
    const { out } = await run([...about, '--launch', 'megatron=run.sh'], { 'run.sh': script })
    expect(first(out)).toBe('::error file=run.sh,line=11')
    const sarif = await run([...about, '--format', 'sarif', '--launch', 'megatron=run.sh'], {
      'run.sh': script,
    })
    expect(sarif.out).toMatch(/"startLine": 11/)
  })

  it('of a request that holds the text has the line in the request', async () => {
    const inline = `model: llama-3-8b\nplan:\n  megatron: |\n${script.replaceAll(/^/gm, '    ')}\n`
    const { out } = await run([...about, 'a.yaml'], { 'a.yaml': inline })
    expect(first(out)).toBe(`::error file=a.yaml,line=${3 + 11}`)
  })

  it('of a request and a launch file has each in its own', async () => {
    const asked = 'model: llama-3-8b\nrequire:\n  understood: false\n  minMfu: 0.99\n'
    const { out } = await run([...about, 'a.yaml', '--launch', 'megatron=run.sh'], {
      'run.sh': script,
      'a.yaml': asked,
    })
    expect(first(out)).toBe('::error file=a.yaml,line=4')
  })
})

describe('a key of a file of options', () => {
  const files = {
    'serve.sh': '#!/bin/bash\nvllm serve meta-llama/Llama-3.1-8B-Instruct --config options.yaml\n',
    'sglang.sh':
      'python3 -m sglang.launch_server --model-path meta-llama/Llama-3.1-8B-Instruct --config options.yaml\n',
  }
  const serving = ['--chip', 'h100-sxm', '--mode', 'serve', '--prompt', '2k', '--output', '256']

  it.each([
    ['serve.sh', 'gpu-memory-utilisation: 0.9'],
    ['serve.sh', 'max_num_seq: 64'],
    ['sglang.sh', 'mem-fraction-statc: 0.8'],
  ])('of %s that is misspelt (%s) has its line there', async (script, key) => {
    const options = `tensor-parallel-size: 2\n# ${key}\n\n${key}\nport: 8000\n`
    const { out } = await run(['check', script, ...serving, '--format', 'github'], {
      ...files,
      'options.yaml': options,
    })
    expect(out.split(',title')[0]).toBe('::error file=options.yaml,line=4')
  })
})

describe('what is no failure', () => {
  const odd = script
    .replace('--frobnicate', '--frobnicate 3')
    .replace('--nproc-per-node 8', '--nproc-per-node 4')
  const job = odd
    .replace('#!/bin/bash\n', '#!/bin/bash\n#SBATCH --nodes=2 --gpus-per-node=8\n')
    .replace('torchrun', 'srun torchrun')
  const reports = ['sarif', 'junit'].flatMap((name) => ['--report', `${name}=${name}`])
  const asked = [
    'check',
    '--chip',
    'h100-sxm',
    '--format',
    'github',
    '--launch',
    'megatron=run.sh',
    ...reports,
  ]
  const free = ['--set', 'require.understood=false', '--set', 'constraints.pipeline=1']

  it('is a warning where it is doubted, and else one note, in each report', async () => {
    const { code, out, written } = await run([...asked, ...free], { 'run.sh': job })
    expect(code).toBe(0)
    const levels = out.split('\n').map((line) => line.split(',title')[0])
    expect(levels).toEqual([
      ...[
        '::warning file=run.sh,line=12',
        '::warning file=run.sh,line=14',
        '::notice file=run.sh,line=14',
        '',
      ],
    ])
    expect(out).toMatch(/^::warning .*--frobnicate/)
    expect(out).toMatch(/\n::warning .*the others stay idle/)
    expect(out).toMatch(/\n::notice .*::plan {2}.*%0Abest {2}.*%0Anote {2}/)
    const { results } = JSON.parse(written.sarif ?? '').runs[0]
    const graded = results.map(({ ruleId, level }: Record<string, string>) => [ruleId, level])
    expect(graded).toEqual([
      ['doubt', 'warning'],
      ['doubt', 'warning'],
      ['note', 'note'],
    ])
    expect(written.junit).toMatch(/<system-out>plan {2}[\s\S]*stay idle[\s\S]*<\/system-out>/)
  })

  it('is not told beside a failure that says the same', async () => {
    const { code, out } = await run([...asked, ...free.slice(2)], { 'run.sh': script })
    expect(code).toBe(1)
    expect(out.match(/--frobnicate/g)).toHaveLength(1)
  })
})
