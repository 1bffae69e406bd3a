/** The cases of each section. Together with the pending ones they are all cases of the book. */
const chips = ['v3', 'v4p', 'v5p', 'v5e', 'v6e', 'tpu7x']
const slices = [
  'v5e-8x16',
  'v5e-16x16',
  'v5e-2x2',
  'v6e-4x8',
  'v6e-8x16',
  'v5p-2x2x1',
  'v5p-2x2x2',
  'v4p-4x4x4',
  'v5p-4x4x8',
  'v5p-16x20x28',
]
const megatron = ['7.1B', '16B', '32B', '70B', '119B', '177B', '314B', '462B']
const tensorGroups = [
  ...['N1-bw30', 'N1-bw100', 'N2-bw30', 'N2-bw100', 'N4-bw30', 'N4-bw100'],
  ...['N8-bw30', 'N10-bw100', 'N14-bw30', 'N16-bw30', 'N16-bw100'],
]

export const sections = {
  'TPU hardware': [
    ...chips.flatMap((chip) => [`tpu-spec-${chip}`, `tpu-derived-${chip}`]),
    ...['tpu-v5p-pod', 'tpu-v5p-egress', 'tpu-q2-v5e-pod', 'tpu-q2-v5p-pod', 'in-v5e8-totals'],
    ...['ai-flops-per-usd-H100', 'ai-flops-per-usd-v5e', 'in-prefill-tp'],
  ],
  'GPU hardware': [
    ...['gpu-spec-A100', 'gpu-spec-H100', 'gpu-spec-H200', 'gpu-spec-B200'],
    ...['gpu-nvlink-Ampere', 'gpu-nvlink-Hopper', 'gpu-nvlink-Blackwell'],
    ...['gpu-node-H100', 'gpu-node-B200', 'gpu-node-GB200_NVL72'],
    ...['gpu-quiz2-q1', 'gpu-superpod', 'gpu-quiz3-q1', 'gpu-level-table'],
  ],
  'slices and wraparound': slices.map((slice) => `tpu-wrap-${slice}`),
  'rooflines of one product': [
    ...['roof-tmath-1e12', 'roof-bounds', 'roof-dot-intensity-1048576', 'roof-net-2chips', 'tf-q3'],
    ...['roof-matmul-intensity-240-1024-1024', 'roof-q4-batched-1', 'roof-tile-512-1024', 'gpu-quiz1-q4'],
    ...['gpu-quiz1-q7-65536', 'gpu-quiz1-q7-1073741824'],
    ...['tf-q4-attn-intensity-prefill-G1', 'tf-q4-attn-intensity-prefill-G8'],
    ...['tf-q4-attn-intensity-decode-G8', 'tf-q4-attn-intensity-decode-G1'],
  ],
  'critical batches': [
    ...['roof-hbm-intensity-v5e', 'roof-q1-int8', 'roof-q2-int8w-bf16', 'tpu-q4-matmul', 'gpu-quiz1-q3'],
    ...['roof-q3-curve-4096', 'roof-q3-curve-1024', 'in-bcrit-bf16', 'in-bcrit-h100'],
    ...['in-bcrit-int8w-bf16f', 'in-bcrit-int8w-int8f', 'in-bcrit-int4w-bf16f', 'in-bcrit-int4w-int8f'],
  ],
  'reading weights': ['tpu-q1-load-latency', 'in-q3', 'in-appA-latency', 'ai-w1-405b'],
  'collectives on a torus': [
    ...['sh-ag-unidir', 'sh-popquiz2-a', 'sh-multiaxis-rule', 'sh-allreduce-rule', 'prof-rs'],
    ...['sh-a2a-nd-16', 'sh-a2a-nd-4x4', 'sh-a2a-nd-4x4x4', 'sh-a2a-nd-16x16', 'sh-a2a-footnote'],
    ...['sh-q2-1', 'sh-q2-3', 'sh-q10', 'in-kvshard-a2a', 'in-appC-latency'],
    ...['sh-popquiz1', 'sh-q1'],
  ],
  'collectives behind switches': [
    ...['gpu-quiz2-q3', 'gpu-popquiz1', 'gpu-crossnode-bw', 'gpu-a2a-crossnode'],
    ...['gpu-popquiz3-Y1', 'gpu-popquiz3-Y64', 'gpu-quiz4-q3', 'gpu-quiz4-q4', 'gpu-quiz4-q5'],
  ],
  'ways to multiply sharded matrices': [
    ...['sh-q4-1024-8192-4', 'sh-q4-8192-8192-4', 'sh-q4-8192-4096-8', 'sh-q4-thresholds'],
    ...['sh-q6', 'sh-q7', 'ai-4x8-checks'],
  ],
  'counts of a Transformer': [
    ...['tf-flops-layer-mha', 'tf-flops-layer-gqa', 'tf-attn-frac-4096-8192', 'tf-q1', 'tf-q5', 'tf-q6'],
    ...['tf-kv-8k', 'in-kv-13b', 'ai-kv-token', 'tr-q1-13b', 'at-params-70b', 'at-w2-405b'],
    ...['art-llama65b-params', 'at-flops-token', 'at-flops-total'],
  ],
  'memory of training': [
    ...['tf-remat-none', 'tf-remat-matmuls', 'tr-pure-dp-model-size', 'tr-q2-memory', 'tr-q3-slice'],
    'gpu-quiz5-q2-1',
  ],
  'data parallelism and FSDP': [
    ...['tr-dp-crit-M1', 'tr-dp-crit-M2', 'tr-layer-dp_or_fsdp', 'tr-bytes-table', 'tr-fsdp-deepseek'],
    ...['gpu-dp-crit-node', 'gpu-dp-crit-h800', 'gpu-dp-crit-b200_scaleout', 'gpu-dp-crit-pp8_3200'],
    ...['gpu-dp-llama3', 'gpu-dp-2node', 'gpu-quiz5-q3-16B', 'gpu-quiz5-q3-70B', 'gpu-quiz5-q3-314B'],
    ...['tr-dcn-intensity', 'tr-dcn-time'],
  ],
  'tensor parallelism': [
    ...['tr-layer-tp', 'tr-tp-limit-llama70b-M2', 'tr-tp-limit-llama70b-M3', 'tr-tp-int8', 'ai-ici-check'],
    ...['gpu-tp', 'gpu-quiz5-q2-3', 'in-q7-2dws-D8192-F32768-N64', 'in-q7-2dws-D8192-F28672-N256'],
    ...tensorGroups.map((group) => `art-tp-${group}`),
  ],
  'FSDP and tensor parallelism together': [
    ...['tr-layer-fsdp_tp', 'tr-xopt-n64-48000', 'tr-xopt-n64-48Ki', 'tr-xopt-q3-13b', 'tr-xopt-llama70b'],
    ...['tr-mixed-crit-F13824', 'tr-mixed-crit-F28672', 'tr-mixed-vs-fsdp', 'tr-fig-16x16x16-crit'],
    ...['tr-q3-limits', 'at-mixed', 'at-w1-4pods'],
  ],
  'mixtures of experts': [
    ...['tf-q8-moe', 'in-q5', 'in-q6-int8', 'in-q6-bf16', 'gpu-dp-moe'],
    ...['gpu-ragged-a2a-Z8-k8', 'gpu-ragged-a2a-Z64-k8', 'gpu-ragged-a2a-Z16-k2'],
    ...['gpu-ep-deepseek16', 'gpu-ex-deepseek'],
  ],
  pipelines: ['gpu-pp-16st-32mb', 'art-pp-N2', 'art-pp-N16'],
  'time at a given utilisation': [
    ...['tr-fsdp-llama70b', 'tr-q3-steptime', 'gpu-quiz5-q2-2'],
    ...megatron.map((size) => `gpu-megatron-${size}`),
  ],
  'a step of generation': [
    'in-popquiz-step-B4',
    ...[8, 16, 32, 64, 240].map((batch) => `in-13b-table-mha-B${batch}`),
    ...[1, 8, 16, 64, 240].map((batch) => `in-13b-table-gqa5x-B${batch}`),
    ...['ai-step-4x2', 'ai-step-4x4', 'ai-pareto-B1-S2048', 'ai-pareto-B1-S8192', 'ai-pareto-B32-S8192'],
    ...['ai-pareto-B120-S2048', 'ai-pareto-B240-S2048', 'in-q4', 'art-pp-batch'],
  ],
  'room for caches': [
    ...['in-q2-131072', 'ai-mem-bs32', 'ai-min-topology-bf16', 'ai-min-topology-int4'],
    ...['ai-full-hbm-step', 'ai-w3-405b-serve'],
  ],
  serving: [
    ...['in-prefix', 'ai-qps-int8', 'ai-qps-int4', 'ai-qps-double-bf16', 'ai-qps-double-int8'],
    ...['ai-evict', 'ai-pd-ratio', 'art-cost'],
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type Section = keyof typeof sections
