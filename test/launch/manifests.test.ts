/** Manifests of servers on several hosts, in parts as published, are read as what they start. */
import { describe, expect, it } from 'vitest'
import type { LaunchedPlan } from '../../api/schemas/launch.ts'
import { readerOf } from '../../api/translate/launch/file.ts'

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
