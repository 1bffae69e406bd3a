/** Manifests of servers on several hosts, in parts as published, are read as what they start. */
import { describe, expect, it } from 'vitest'
import type { LaunchedPlan } from '../../api/schemas/launch.ts'
import { acceleratorIn } from '../../api/translate/launch/described.ts'
import { readerOf } from '../../api/translate/launch/file.ts'
import { podGpus } from '../../api/translate/launch/pod-gpus.ts'
import { planning } from '../http/planning.ts'
import { service } from '../http/service.ts'

const read = (plan: LaunchedPlan, mode: string) =>
  readerOf(plan)({ chips: null, slices: 1, mode, model: null })

// llm-d/llm-d 03da3b0, guides/wide-ep-lws/manifests/modelserver/base/decode.yaml, on two hosts.
const group = (env: string) => `apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
spec:
  leaderWorkerTemplate:
    size: 2
    workerTemplate:
      spec:
        initContainers: [{name: routing-proxy, image: a, args: [--port=8000]}]
        containers:
        - image: b
          command: [/bin/bash, -c]
          args:
          - |-
            START_RANK=$(( \${LWS_WORKER_INDEX:-0} * DP_SIZE_LOCAL ))
            if [ "\${LWS_WORKER_INDEX:-0}" -eq 0 ]; then EXTRA="--max-num-seqs 64"; else EXTRA="--headless"; fi
            exec vllm serve deepseek-ai/DeepSeek-R1-0528 --enable-expert-parallel $EXTRA \\
              --data-parallel-size $((LWS_GROUP_SIZE * DP_SIZE_LOCAL)) --data-parallel-size-local $DP_SIZE_LOCAL \\
              --data-parallel-start-rank $START_RANK
          env: [{name: DP_SIZE_LOCAL, value: "8"}${env}]
`

describe('a group of pods', () => {
  it('has the hosts that its template says, and what its leader starts', () => {
    const { hardware, plan, faults, notes, mostSequences } = read({ vllm: group('') }, 'generate')
    expect([faults, notes]).toEqual([[], []])
    expect(hardware).toEqual({ chips: 16 })
    expect([plan.mesh, mostSequences]).toMatchObject([{ tensor: 16 }, 16 * 64])
  })

  it('sends tokens to their experts where a variable of older releases says so, with a note', () => {
    const env = ', {name: VLLM_ALL2ALL_BACKEND, value: deepep_low_latency}'
    const { plan, notes } = read({ vllm: group(env) }, 'generate')
    expect(plan.mesh).toMatchObject({ expert: 16 })
    expect(notes.join()).toMatch(/VLLM_ALL2ALL_BACKEND=deepep_low_latency is counted as --all2all-backend/)
  })

  it('of a size that is not said is one pod', () => {
    const { hardware } = read({ vllm: group('').replace('    size: 2\n', '') }, 'generate')
    expect(hardware).toEqual({ chips: 8 })
  })
})

// Like sgl-project/sglang 96fd6bf, docs/references/multi_node_deployment/lws_pd/lws-examples/d.yaml
const apart = (rank: string) => `apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
spec:
  leaderWorkerTemplate:
    size: 2
    leaderTemplate:
      spec:
        containers:
        - image: a
          command: [python3, -m, sglang.launch_server, --model-path, org/m, --tp, "16", --max-running-requests, "64"${rank}]
    workerTemplate:
      spec:
        containers:
        - image: a
          command: [python3, -m, sglang.launch_server, --model-path, org/m, --tp, "16"${rank}]
`

it.each([
  ['ranks', ', --node-rank, $(LWS_WORKER_INDEX)', 'that of the first node'],
  ['no ranks', '', 'the last'],
])('of a group whose leader has a template of its own, that one is read: with %s', (_, rank, which) => {
  const { mostSequences, notes } = read({ sglang: apart(rank) }, 'generate')
  expect(mostSequences).toBe(64)
  expect(notes).toContain(`of 2 commands that start SGLang ${which} is read`)
})

// ai-dynamo/dynamo 09783f6 (Apache-2.0), recipes/deepseek-r1/trtllm/disagg/wide_ep/gb200/deploy.yaml
const phases = `apiVersion: v1
kind: ConfigMap
data:
  prefill_config.yaml: |
    max_batch_size: 4
    max_num_tokens: 4608
    tensor_parallel_size: 4
    moe_expert_parallel_size: 4
    enable_attention_dp: true
---
apiVersion: v1
kind: ConfigMap
data:
  decode_config_dep32.yaml: |
    tensor_parallel_size: 32
    moe_expert_parallel_size: 32
    enable_attention_dp: true
    max_batch_size: 32
---
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
spec:
  services:
    prefill:
      extraPodSpec:
        mainContainer:
          image: a
          command: [/bin/sh, -c]
          args: [python3 -m dynamo.trtllm --model-path /model-cache/deepseek-r1-fp4 --served-model-name deepseek-ai/DeepSeek-R1 --extra-engine-args /config/prefill_config.yaml --disaggregation-mode prefill]
    decode:
      multinode: {nodeCount: 8}
      extraPodSpec:
        mainContainer:
          image: a
          command: [/bin/sh, -c]
          args: [python3 -m dynamo.trtllm --model-path /model-cache/deepseek-r1-fp4 --served-model-name deepseek-ai/DeepSeek-R1 --extra-engine-args /config/decode_config_dep32.yaml --disaggregation-mode decode]
`

it.each([
  ['prefill', 4, 4 * 4],
  ['generate', 32, 32 * 32],
])('workers of Dynamo in mode %s are read with the file of their phase', (mode, chips, most) => {
  const { hardware, mostSequences, notes, notUnderstood } = read({ tensorrtLlm: phases }, mode)
  expect([hardware, mostSequences, notUnderstood]).toEqual([{ chips }, most, []])
  expect(notes).toContain('of 2 commands that start TensorRT-LLM that of the phase is read')
})

describe('a server', () => {
  it.each([
    ['vllm', 'vllm serve org/m --enforce-eager', /--enforce-eager: steps are counted with graphs/],
    ['vllm', `vllm serve org/m --hf-overrides '{"num_hidden_layers": 4}'`, /--hf-overrides: what it changes/],
    ['sglang', 'python -m sglang.launch_server --model-path org/m --disable-cuda-graph', /with graphs/],
    [
      'sglang',
      `python -m sglang.launch_server --model-path org/m --json-model-override-args '{}'`,
      /--json-model-override-args: what it changes/,
    ],
  ] as const)('of %s is told what is not counted: %s', (key, text, says) => {
    expect(read({ [key]: text }, 'generate').notes.join()).toMatch(says)
  })
})

const drafting: readonly LaunchedPlan[] = [
  { vllm: `vllm serve org/m --speculative-config '{"method": "mtp"}'` },
  { sglang: 'python -m sglang.launch_server --model-path org/m --speculative-algorithm EAGLE' },
  {
    tensorrtLlm: {
      command: 'trtllm-serve org/m --config c.yaml',
      config: 'speculative_config: {decoding_type: MTP}',
    },
  },
]

it('drafts of a server are told to be what a request of the mode can say', async () => {
  const speculative = { draftCostRatio: 0.1, acceptance: 0.7, tokens: 2 }
  const workloads = {
    generate: { mode: 'generate', contextLength: 2048, batchSequences: 8 },
    serve: { mode: 'serve', promptLength: 1024, outputLength: 128 },
    prefill: { mode: 'prefill', promptLength: 1024, batchSequences: 1 },
  }
  for (const [mode, workload] of Object.entries(workloads)) {
    const told = drafting.map((plan) => read(plan, mode).notes.find((note) => note.includes('specul')))
    const { status } = await service({ search: planning })
      .post('/optimize')
      .send({
        model: 'llama-3-8b',
        hardware: { chip: 'h100-sxm', chips: 1 },
        workload: { ...workload, speculative },
      })
    const says = status === 200 ? /as workload\.speculative says them/ : /without drafts/
    for (const note of told) expect(note, mode).toMatch(says)
  }
})

// skypilot-org/skypilot 3339bb2 (Apache-2.0), llm/kimi-k2/kimi-k2.sky.yaml, a part
const task = (accelerators: string) => `envs:
  MODEL_NAME: moonshotai/Kimi-K2-Instruct
  HF_TOKEN:
resources:
  image_id: docker:vllm/vllm-openai:v0.10.0
  accelerators: ${accelerators}
num_nodes: 2
run: |
  if [ "$SKYPILOT_NODE_RANK" == "0" ]; then
    vllm serve $MODEL_NAME --tensor-parallel-size $SKYPILOT_NUM_GPUS_PER_NODE --pipeline-parallel-size $SKYPILOT_NUM_NODES --max-model-len 32768
  else
    sleep infinity
  fi
service:
  replicas: 1
`

describe('a task of SkyPilot', () => {
  it.each([
    'H100:8',
    '{H100: 8}',
    '{H100:8, H200:8}',
    '["H100:8"]',
  ])('with %s runs as its first node does', (accelerators) => {
    const { hardware, plan, named, faults } = read({ vllm: task(accelerators) }, 'generate')
    expect([faults, named]).toEqual([[], 'moonshotai/Kimi-K2-Instruct'])
    expect([hardware, plan.mesh]).toMatchObject([{ chips: 16 }, { tensor: 8, pipeline: 2 }])
  })

  it('of chips in several numbers leaves open how many there are', () => {
    const { faults } = read({ vllm: task('{H100:8, L4:4}') }, 'generate')
    expect(faults.join()).toMatch(/SKYPILOT_NUM_GPUS_PER_NODE, which the text does not set/)
  })

  it.each([
    ['H100:8', 'H100'],
    ['A100:8', 'A100-40GB'],
    ['{H100:8, H200:8}', null],
  ])('of %s asks for %s', (accelerators, kind) => {
    expect(acceleratorIn(task(accelerators))).toBe(kind)
  })

  it('says the chip of a request that names none', async () => {
    const request = { workload: { mode: 'generate', batchSequences: 8 }, plan: { vllm: task('H200:8') } }
    const { body } = await service({ search: planning }).post('/evaluate').send(request)
    expect(body.read.request.hardware).toEqual({ chip: 'h200-sxm', chips: 16 })
    expect(body.read.notes).toContain('the chip is taken from accelerators: H200')
  })
})

describe("values of vLLM's production-stack", () => {
  // vllm-project/production-stack a6c01db (Apache-2.0), tutorials/assets, values-25-v100-multi-gpu-tp2.yaml, -16-disagg-prefill.yaml and -15-a-…-raycluster.yaml, parts
  const values = (spec: string) => `servingEngineSpec:\n  runtimeClassName: ""\n  modelSpec:\n${spec}`

  it('are the servers that its chart starts', () => {
    const spec =
      '  - name: q\n    modelURL: Qwen/Qwen2.5-7B-Instruct\n    requestGPU: 2\n    vllmConfig: {dtype: half, tensorParallelSize: 2, maxModelLen: 8192, gpuMemoryUtilization: 0.9, pipelineParallelSize: 4, extraArgs: [--enforce-eager]}\n'
    const { hardware, plan, workload, named, memoryFraction, notUnderstood, faults } = read(
      { vllm: values(spec) },
      'generate',
    )
    expect([faults, notUnderstood, named]).toEqual([[], [], 'Qwen/Qwen2.5-7B-Instruct'])
    expect([hardware, plan.mesh, workload]).toMatchObject([
      { chips: 2 },
      { tensor: 2, pipeline: 1 },
      { contextLength: 8192 },
    ])
    expect(memoryFraction).toBe(0.9)
  })

  it('have stages where they make a cluster of Ray', () => {
    const spec =
      '  - modelURL: org/m\n    vllmConfig: {tensorParallelSize: 1, pipelineParallelSize: 2}\n    raySpec: {enabled: true, headNode: {requestGPU: 1}}\n'
    expect(read({ vllm: values(spec) }, 'generate').plan.mesh).toMatchObject({ pipeline: 2 })
  })

  it('have a server for each phase, of which that of the mode is read', () => {
    const engine = (role: string, length: number) =>
      `  - modelURL: org/m\n    vllmConfig: {maxModelLen: ${length}}\n    lmcacheConfig: {enabled: true, kvRole: ${role}, enablePD: true}\n`
    const text = values(engine('kv_consumer', 3000) + engine('kv_producer', 2000))
    expect(read({ vllm: text }, 'prefill').workload).toMatchObject({ promptLength: 1999 })
    expect(read({ vllm: text }, 'generate').workload).toMatchObject({ contextLength: 3000 })
  })
})

/** A job of the training operator: a pod of its master and several of its workers. */
const job = (workers: number, nproc: string, more = '') => `apiVersion: kubeflow.org/v1
kind: PyTorchJob
spec:
${nproc}  pytorchReplicaSpecs:
    Master: &pod
      replicas: 1
      template: {spec: {containers: [{name: pytorch, image: a, command: [torchrun, ${more}pretrain_gpt.py, --num-layers, "32", --hidden-size, "4096", --num-attention-heads, "32", --seq-length, "4096", --max-position-embeddings, "4096", --micro-batch-size, "1", --global-batch-size, "64"], resources: {limits: {nvidia.com/gpu: 8}}}]}}
    Worker:
      <<: *pod
      replicas: ${workers}
`

describe('a PyTorchJob', () => {
  it('has a node for each pod, with the processes that it says', () => {
    const chips = (text: string) => read({ megatron: text }, 'train').hardware.chips
    expect(chips(job(3, '  nprocPerNode: "8"\n'))).toBe(32)
    expect(chips(job(0, '  nprocPerNode: "4"\n'))).toBe(4)
    expect(chips(job(3, '  nprocPerNode: "8"\n', '--nnodes, "2", '))).toBe(16)
    expect(chips(job(3, '  nprocPerNode: "8"\n  elasticPolicy: {minReplicas: 1}\n'))).not.toBe(32)
  })

  it('is held to the chips of the request', async () => {
    const agent = service({ search: planning })
    for (const chips of [8, 32, 64]) {
      const { body } = await agent.post('/evaluate').send({
        hardware: { chip: 'h100-sxm', chips },
        plan: { megatron: job(3, '  nprocPerNode: "8"\n') },
      })
      const told = (body.errors as { pointer: string }[] | undefined) ?? []
      const pointers = told.map(({ pointer }) => pointer)
      expect([chips, pointers.includes('/hardware/chips')]).toEqual([chips, chips !== 32])
    }
  })
})

it('a container of fewer GPUs than its server has ranks does not start it', () => {
  const server = (gpus: number) => `apiVersion: apps/v1
kind: Deployment
spec: {template: {spec: {containers: [{image: vllm/vllm-openai, args: [--model, org/llama-3-70b, --tensor-parallel-size, "8"], resources: {limits: {nvidia.com/gpu: "${gpus}"}}}]}}}
`
  const refusals = (gpus: number) => {
    const plan = { vllm: server(gpus) }
    const given = { chips: 8, slices: 1, mode: 'generate', model: null, podGpus: podGpus(plan.vllm) ?? 0 }
    return readerOf(plan)(given).refusals
  }
  expect(refusals(4)?.join()).toMatch(/8 ranks where it is given 4 GPUs/)
  expect(refusals(8)).toEqual([])
  expect([podGpus('vllm serve m'), podGpus(job(1, ''))]).toEqual([undefined, 8])
})

describe('a file of docker compose', () => {
  it('has what compose fills in where nobody sets it, in its variables and its command, and merges', () => {
    const composed = (environment: string) => `x-all: &all
  image: vllm/vllm-openai:latest
services:
  vllm:
    <<: *all
    environment: ${environment}
    command: --model meta-llama/Llama-3.1-70B --tensor-parallel-size \${TP:-4}
`
    for (const environment of [`[TP=\${TP:-4}]`, `{TP: "\${TP:-4}"}`, '{TP: 8}', '[HF_TOKEN]']) {
      const { plan, faults } = read({ vllm: composed(environment) }, 'generate')
      expect([plan, faults]).toMatchObject([{ mesh: { tensor: 4 } }, []])
    }
  })
})
