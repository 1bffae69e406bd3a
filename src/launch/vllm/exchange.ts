/**
 * How a server of vLLM brings tokens to experts. Source: vllm-project/vllm 99d7eb5, docs/serving/expert_parallel_deployment.md (backends
 * by phase), vllm/platforms/cuda.py ("disabling cudagraphs since DP with DeepEP high-throughput kernels are not CUDA Graph compatible").
 */
import { compact } from '../../compact.ts'
import type { ServerCommand } from '../read/server-command.ts'
import { withoutGraphs } from '../server/uncounted.ts'

export interface Exchange {
  readonly backend: string
  /** Whether tokens are sent to their experts, rather than gathered and reduced. */
  readonly sends: boolean
  readonly notes: readonly string[]
}

/** What later releases are told by --all2all-backend alone (vllm-project/vllm#33535 took it away). */
const variable = 'VLLM_ALL2ALL_BACKEND'

const sending = /^(deepep|mori|pplx|nixl|flashinfer)/

interface OfOnePhase {
  readonly named: RegExp
  /** Where a server runs otherwise than it is counted. */
  readonly besides: readonly (string | null)[]
  readonly says: (option: string) => string
}

/** Ways to send that are made for one phase. */
const ofOnePhase: readonly OfOnePhase[] = [
  { named: /^(deepep|mori)_high_throughput$/, besides: ['generate', 'serve'], says: withoutGraphs },
  {
    named: /^(deepep|mori)_low_latency$/,
    besides: ['prefill', 'serve'],
    says: (option) =>
      `${option}: its kernels take few tokens at once; prompts are counted as sent in one piece a step, as the kernels for many do`,
  },
]

export function exchangeOf(
  written: string | null,
  variables: ServerCommand['variables'],
  mode: string | null,
): Exchange {
  const older = written === null ? variables.get(variable)?.[0] : undefined
  const name = written ?? older ?? ''
  const option = written === null ? `${variable}=${name.slice(0, 100)}` : `--all2all-backend ${name}`
  return {
    backend: name,
    sends: sending.test(name),
    notes: compact(
      older !== undefined && `${option} is counted as --all2all-backend, which is what later releases read`,
      ofOnePhase
        .filter(({ named, besides }) => named.test(name) && besides.includes(mode))
        .map(({ says }) => says(option)),
    ),
  }
}
