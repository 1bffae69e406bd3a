/** Published measurements of inference, one per row; fixtures/measurements/README.md explains the fields. */

import { readFileSync } from 'node:fs'
import type { Spelling } from '../../../src/model/spelling.ts'
import type { WeightPart } from '../../../src/model/weight-parts.ts'
import type { ElementType } from '../../../src/recipe/element-types.ts'
import type { Bytes, Seconds } from '../../../src/units.ts'
import type { EngineSettings } from './trtllm-bench.ts'

export interface Latency {
  readonly latencySeconds: Seconds
  readonly memoryBytes?: Bytes
}

export interface TokenTime {
  readonly secondsPerToken: Seconds
  readonly timeToFirstTokenSeconds?: Seconds
}

export interface Throughput {
  /** Output tokens of all chips together. */
  readonly tokensPerSecond: number
}

/** What the source printed, and so what a prediction has to be put together to. */
type Measurement =
  | {
      readonly compare: 'request-latency' | 'decode-latency' | 'prefill-latency'
      readonly measured: Latency
    }
  | { readonly compare: 'time-per-output-token'; readonly measured: TokenTime }
  | { readonly compare: 'max-throughput' | 'throughput'; readonly measured: Throughput }
  | { readonly compare: 'out-of-memory'; readonly measured: Readonly<Record<string, never>> }

export type InferenceRow = Measurement & {
  readonly id: string
  readonly source: string
  readonly split: 'fit' | 'test'
  readonly stack: string
  readonly year: number
  readonly mode: 'generate' | 'prefill'
  /** A name of fixtures/models, or the architecture where the catalogue has none with it. */
  readonly model: string | Spelling
  readonly mixtureOfExperts: boolean
  readonly chip: string
  readonly chips: number
  readonly mesh: {
    readonly data: number
    readonly tensor: number
    readonly pipeline: number
    readonly expert: number
  }
  readonly strategy?: string
  /** Two halves of a batch took turns, and copies of experts that there were. */
  readonly twoBatchOverlap?: boolean
  readonly redundantExperts?: number
  readonly batchSequences: number | 'max'
  readonly promptLength: number
  readonly outputLength: number
  /** An engine of TensorRT: a C++ runtime starts its kernels, and no Python. */
  readonly engine?: true
  /** Scores of prompts went through HBM. */
  readonly unfused?: true
  /** Sequences that went through the stages of a pipeline together, of prompts and while they generated; as is fastest where absent. */
  readonly passedOn?: { readonly prompts: number; readonly tokens: number }
  /** All that there were, at once from the start, where the source ran so many to their end. */
  readonly requests?: number
  /** What its server ran at once at most, where that is not trtllm-bench's to say. */
  readonly serverLimits?: EngineSettings
  /** Steps for which prompts wait at most until each rank with attention of its own has one (TensorRT-LLM's `attention_dp_config`). */
  readonly waitedSteps?: number
  /** Tokens of a sequence that are sent on together, where the software usually sends each. */
  readonly streamInterval?: number
  /** The mean of both lengths, of what they are at most; 1 where absent. */
  readonly meanLengthShare?: number
  readonly precision: {
    readonly weights: ElementType
    readonly compute: ElementType
    readonly kvCache: ElementType
  }
  /** Of its parts, the share that stayed in bf16, and bits of all else with scales that its type does not say. */
  readonly checkpoint?: {
    readonly bits?: number
    readonly kept: Readonly<Partial<Record<WeightPart, number>>>
  }
  /** Rows that share it are one configuration measured again. */
  readonly group?: string
  /** Why the row cannot be compared, known before any prediction. */
  readonly leftOut?: string
}

const file = new URL('../../../fixtures/measurements/inference.jsonl', import.meta.url)

export function publishedInference(): readonly InferenceRow[] {
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line): InferenceRow => JSON.parse(line))
}
