/** Launch files that a request names, and those that are given in place of requests. */
import { describe, expect, it } from 'vitest'
import { withNamedFiles } from '../../api/cli/named-launch.ts'
import type { World } from '../../api/cli/world.ts'
import { run } from './world.ts'

const script = `. ./args.sh
torchrun --nproc-per-node 8 --nnodes 2 pretrain_gpt.py $ARGS --frobnicate
`
const args = `ARGS="--num-layers 32 --hidden-size 4096 --ffn-hidden-size 14336 --num-attention-heads 32 --group-query-attention --num-query-groups 8
  --swiglu --untie-embeddings-and-output-weights --position-embedding-type rope --vocab-size 128256 --bf16 --use-distributed-optimizer
  --seq-length 4096 --max-position-embeddings 4096 --micro-batch-size 1 --global-batch-size 64 --tensor-model-parallel-size 8 --sequence-parallel"
`
const files = { 'jobs/run.sh': script, 'jobs/args.sh': args }
const request = 'hardware: {chip: h100-sxm}\nconstraints: {pipeline: 1}\nplan: {megatron: {file: run.sh}}\n'

describe('a launch file that a request names', () => {
  it('is read by its path from the request, with what lies beside it, and has the places of what is found', async () => {
    const { code, out } = await run(['check', 'jobs/a.yaml'], { ...files, 'jobs/a.yaml': request })
    expect(code).toBe(1)
    expect(out).toMatch(
      /^jobs\/a.yaml\nFAIL {2}understood .*--frobnicate .*\(jobs\/run.sh:2 \/plan\/megatron\)/,
    )
  })

  it('may be one of several variants, as objects of a config stay what they are', () => {
    const read = (file: string) => `text of ${file}`
    const named = { plan: { deepspeed: { file: 'ds.json' } } }
    const config = { plan: { deepspeed: { zero_optimization: { stage: 3 } } } }
    const { body, texts } = withNamedFiles({ variants: [named, config] }, 'x/a.yaml', { read } as World)
    expect(body).toEqual({ variants: [{ plan: { deepspeed: 'text of x/ds.json' } }, config] })
    expect(texts).toEqual([])
  })

  it.each(['/etc/run.sh', '../../run.sh'])('%s is refused, as it lies elsewhere', async (name) => {
    const text = request.replace('run.sh', name)
    const { code, out } = await run(['check', 'jobs/a.yaml'], { 'jobs/a.yaml': text, [name]: script })
    expect([code, out]).toEqual([2, expect.stringMatching(/lies outside of the folder of jobs\/a.yaml/)])
    const beside = request.replace('run.sh', '../jobs/run.sh')
    const checked = await run(['check', 'clusters/a.yaml'], { ...files, 'clusters/a.yaml': beside })
    expect(checked.out).toMatch(/jobs\/run.sh:2/)
  })
})

describe('a launch file in place of a request', () => {
  const about = ['--chip', 'h100-sxm', '--set', 'constraints.pipeline=1']

  it('is read where options say a chip, each with an entry of its own', async () => {
    const good = script.replace(' --frobnicate', '')
    const given = ['check', 'jobs/run.sh', 'jobs/good.sh', ...about]
    const { code, out } = await run(given, { ...files, 'jobs/good.sh': good })
    expect(code).toBe(1)
    expect(out).toMatch(/^jobs\/run.sh\nFAIL {2}understood .*\(jobs\/run.sh:2 /)
    expect(out).toMatch(/\njobs\/good.sh\nok /)
    const evaluated = await run(['evaluate', 'jobs/good.sh', ...about], { ...files, 'jobs/good.sh': good })
    expect(evaluated).toMatchObject({ code: 0, out: expect.stringMatching(/^plan +data 2 x tensor 8/) })
  })

  it('fails where a dash is none that the framework takes, with its line', async () => {
    const text = script.replace('--frobnicate', '\\\n  –expert-model-parallel-size 4')
    const { code, out } = await run(['check', 'jobs/run.sh', ...about], { ...files, 'jobs/run.sh': text })
    expect(code).toBe(1)
    expect(out).toMatch(/FAIL {2}understood .*an en dash.*mean --expert-model-parallel-size.*jobs\/run.sh:3 /)
  })

  it.each([
    ['vllm', '--model Qwen/Qwen3-32B --tensor-parallel-size 4'],
    ['sglang', '--model-path Qwen/Qwen3-32B --tp 4'],
    ['trtllm', '--model-path Qwen/Qwen3-32B --tensor-parallel-size 4'],
  ])('may start a worker of Dynamo, by a script or a manifest: %s', async (engine, options) => {
    const command = `python3 -m dynamo.${engine} ${options}`
    const list = (words: string) => JSON.stringify(words.split(' '))
    const graph = (words: string, args: string) =>
      `apiVersion: nvidia.com/v1alpha1\nkind: DynamoGraphDeployment\nspec:\n  services:\n    Worker:\n      extraPodSpec:\n        mainContainer:\n          image: a\n          command: ${words}\n          args: ${args}\n`
    const started = {
      'run.sh': `#!/bin/bash\npython3 -m dynamo.frontend &\n${command}\n`,
      'graph.yaml': graph(list(`python3 -m dynamo.${engine}`), list(options)),
      'shell.yaml': graph('[/bin/sh, -c]', `[${JSON.stringify(command)}]`),
      'deployment.yaml': `apiVersion: apps/v1\nkind: Deployment\nspec:\n  template:\n    spec:\n      containers:\n      - name: a\n        image: a\n        command: ${list(command)}\n`,
    }
    const given = ['--chip', 'h100-sxm', '--chips', '4', '--mode', 'generate', '--seq', '8k']
    for (const name of Object.keys(started)) {
      const { code, out } = await run(['evaluate', name, ...given], started)
      expect([code, out], name).toEqual([0, expect.stringMatching(/^plan +tensor 4/)])
    }
  })

  it('is told how it is read where they say none', async () => {
    const { code, out } = await run(['check', 'jobs/run.sh'], files)
    expect([code, out]).toEqual([2, expect.stringMatching(/read with --launch megatron=jobs\/run.sh/)])
  })
})
