/** What a manifest gives a whole job, or a whole server over several hosts, is held against what its command starts. */
import { describe, expect, it } from 'vitest'
import { loadCatalogue } from '../../api/catalogue.ts'
import type { LaunchedPlan } from '../../api/schemas/launch.ts'
import { readIn } from '../../api/translate/launch/reading.ts'

const catalogue = loadCatalogue()
const refusals = (plan: Record<string, string>, mode = 'generate') =>
  readIn(plan as unknown as LaunchedPlan, { hardware: { chip: 'h100-sxm' }, workload: { mode } }, catalogue)
    .refusals ?? []

const gpus = (count: number) => `resources: {limits: {nvidia.com/gpu: ${count}}}`

describe('the pods of a job', () => {
  const pod = (nodes: number) =>
    `{spec: {containers: [{name: c, image: nemo, command: [bash, -c], args: ['torchrun --nnodes=${nodes} --nproc-per-node=8 pretrain_gpt.py --num-layers 32 --seq-length 4096'], ${gpus(8)}}]}}`
  const job = (nodes: number, more = '') => `{parallelism: 2, completions: 2, ${more}template: ${pod(nodes)}}`
  const batch = (nodes: number) => `apiVersion: batch/v1\nkind: Job\nspec: ${job(nodes)}\n`
  const set = (nodes: number, replicas: number) =>
    `apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nspec:\n  replicatedJobs:\n  - {name: aside, template: {spec: {template: {spec: {containers: [{name: p, image: proxy}]}}}}}\n  - {name: w, replicas: ${replicas}, template: {spec: ${job(nodes)}}}\n`

  it.each([
    ['of a Job', batch(4)],
    ['of a JobSet', set(4, 1)],
    ['of copies of a Job', set(8, 2)],
  ])('%s are as many as torchrun waits for', (_, megatron) => {
    expect(refusals({ megatron }, 'train')).toEqual([
      expect.stringMatching(/^the job has [24] pods, and torchrun waits for [48] .* does not start$/),
    ])
  })

  it.each([
    ['of a Job', batch(2)],
    ['of a JobSet', set(4, 2)],
    ['of a JobSet that others fill in', set(4, 1).replace('parallelism: 2', 'parallelism: "{{ n }}"')],
  ])('%s start', (_, megatron) => {
    expect(refusals({ megatron }, 'train')).toEqual([])
  })
})

describe('the GPUs of a server', () => {
  const ray = 'bash /vllm-workspace/examples/online_serving/multi-node-serving.sh leader'
  // kubernetes-sigs/lws 060ab4d, docs/examples/vllm/GPU/lws.yaml
  const group = (words: string) =>
    `apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nspec:\n  replicas: 2\n  leaderWorkerTemplate:\n    size: 2\n    leaderTemplate: {spec: {containers: [{name: l, image: vllm/vllm-openai, command: [sh, -c, "${ray}; vllm serve meta-llama/Llama-3.1-405B-Instruct ${words}"], ${gpus(8)}}]}}\n    workerTemplate: {spec: {containers: [{name: w, image: vllm/vllm-openai, ${gpus(8)}}]}}\n`
  // skypilot-org/skypilot, llm/kimi-k2
  const task = (words: string, nodes = 2) =>
    `resources: {accelerators: "H100:8"}\nnum_nodes: ${nodes}\nrun: |\n  ray start --head\n  vllm serve moonshotai/Kimi-K2-Instruct --tensor-parallel-size $SKYPILOT_NUM_GPUS_PER_NODE ${words}\n`
  // ai-dynamo/dynamo 0044eb9, recipes/deepseek-r1
  const graph = (program: string, words: string, multinode = '') =>
    `apiVersion: nvidia.com/v1alpha1\nkind: DynamoGraphDeployment\nspec:\n  services:\n    Frontend: {componentType: frontend, replicas: 1}\n    worker:\n      ${multinode}\n      resources: {limits: {gpu: "8"}}\n      extraPodSpec: {mainContainer: {command: [python3, -m, ${program}], args: [${words}]}}\n`
  const sixteen = '--model-path, deepseek-ai/DeepSeek-R1, --tp, "16"'
  const ranks = '--model, deepseek-ai/DeepSeek-R1, --data-parallel-size, "16", --enable-expert-parallel'

  it.each([
    ['a group of two pods', { vllm: group('-tp 8 -pp 4') }, 32, 16],
    ['a group of two pods, by tensor', { vllm: group('-tp 32') }, 32, 16],
    ['a task of two nodes', { vllm: task('-pp 4') }, 32, 16],
    ['a task of one', { vllm: task('-pp 2', 1) }, 16, 8],
    ['a worker of Dynamo on one', { sglang: graph('dynamo.sglang', sixteen) }, 16, 8],
    ['data ranks of Dynamo on one', { vllm: graph('dynamo.vllm', ranks) }, 16, 8],
  ])('are too few: %s', (_, plan, taken, there) => {
    expect(refusals(plan)).toEqual([
      `it takes ${taken} GPUs, and what it is started on has ${there}: it does not start`,
    ])
  })

  it.each([
    ['a group of two pods', { vllm: group('-tp 8 -pp 2') }],
    ['a task of two nodes', { vllm: task('-pp 2') }],
    ['a worker of Dynamo on two', { sglang: graph('dynamo.sglang', sixteen, 'multinode: {nodeCount: 2}') }],
    ['data ranks of Dynamo on two', { vllm: graph('dynamo.vllm', ranks, 'multinode: {nodeCount: 2}') }],
  ])('are enough: %s', (_, plan) => {
    expect(refusals(plan)).toEqual([])
  })

  it('are those of one host for trtllm-serve, but behind its launcher', () => {
    const serve = 'trtllm-serve deepseek-ai/DeepSeek-R1 --tp_size 16'
    expect(refusals({ tensorrtLlm: serve })).toEqual([
      expect.stringMatching(/starts 16 ranks on a host of 8 GPUs, and does not start: trtllm-llmapi-launch/),
    ])
    expect(refusals({ tensorrtLlm: `srun -N 2 --ntasks-per-node 8 trtllm-llmapi-launch ${serve}` })).toEqual(
      [],
    )
  })
})

describe('the nodes of a server of SGLang', () => {
  const serve = (words: string) => ({
    sglang: `python3 -m sglang.launch_server --model-path deepseek-ai/DeepSeek-R1 --node-rank 0 --dist-init-addr h:1 ${words}`,
  })

  it.each([
    ['--tp 16 --nnodes 3', /--nnodes 3 does not divide its 16 ranks/],
    ['--tp 8 --dp 2 --nnodes 2', /--dp-size 2 on 2 nodes .* needs --enable-dp-attention/],
  ])('%s', (words, said) => {
    expect(refusals(serve(words))).toEqual([expect.stringMatching(said)])
  })

  it('divide its ranks', () => {
    for (const words of [
      '--tp 16 --nnodes 2',
      '--tp 16 --dp 16 --enable-dp-attention --nnodes 2',
      '--tp 16 --nnodes "$N"',
    ])
      expect(refusals(serve(words)), words).toEqual([])
  })
})
