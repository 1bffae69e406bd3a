/**
 * Predicts the quantity that a row measured from the times of single steps.
 *
 *   P(b, i)  prefill of b prompts of i tokens      S(b, s)  one token for b sequences with s of context each
 *   o output tokens, c sequences in the system, i + o/2 the mean context while generating
 *
 *   request-latency        P(b, i) + (o − 1) S(b, i + o/2)
 *   decode-latency         o S(b, i + o/2)
 *   prefill-latency        P(b, i)
 *   time-per-output-token  S(b, i + o/2) + b/(o − 1) P(k, i)/k: closed loop, while one request generates each of the b
 *                          others is replaced once, and its prompt runs between the steps; b is those of c that
 *                          generate, c (o − 1) t / (f + (o − 1) t) where the time f to the first token is measured beside
 *                          that for another t (Little's law), or as many as memory holds
 *   max-throughput         N o over N P(k, i)/k + (o − 1) Σ S(b, i + o/2) over waves of N requests that all arrive at
 *                          the start: N is limited by what trtllm-bench runs at once (trtllm-bench.ts), by the memory
 *                          for all their tokens, and by the number of requests
 *
 * k prompts run together: those that arrive during a step, b/(o − 1), or during those that they wait until each rank of
 * attention has one, up to what a step takes (8192 tokens for each rank, the default of TensorRT-LLM and what
 * InferenceMAX sets for vLLM); in waves always what a step takes. Queueing, and prompts that share a step with generation, are left out.
 */
import type { Seconds } from '../../../src/units.ts'
import type { InferenceRow, TokenTime } from './row.ts'
import { cacheShare, type EngineSettings } from './trtllm-bench.ts'

export interface StepTime {
  readonly seconds: Seconds
  /** Where they go, by name. */
  readonly parts: Readonly<Record<string, Seconds>>
}

/** One replica of a deployment (data > 1 are several), at any batch and length; stages pass on so many sequences together where it is said. */
export interface Steps {
  /** Until the last of the prompts has its first token. */
  readonly prefill: (sequences: number, promptLength: number, together?: number) => StepTime
  /** Until every one of the sequences has one more token, however they are spread over pipeline stages. */
  readonly generate: (sequences: number, contextLength: number, together?: number) => StepTime
  /**
   * How many sequences of this length fit beside weights and a step of so many tokens on each rank of attention, where caches get that share
   * of what is free: 0.9 unless told.
   */
  readonly maxSequences: (contextLength: number, tokens: number, cacheShare?: number) => number
  /** Groups of chips with sequences of their own, each of which has a scheduler. */
  readonly ranks: number
  readonly bench: (promptLength: number, outputLength: number) => EngineSettings
}

export type Comparison =
  | {
      readonly status: 'compared'
      readonly predicted: Seconds
      readonly measured: Seconds
      /** Of `predicted`; they sum to it. */
      readonly parts: Readonly<Record<string, Seconds>>
    }
  | { readonly status: 'left-out'; readonly reason: string }

export function comparison(row: InferenceRow, steps: Steps): Comparison {
  const { mesh, meanLengthShare: share = 1 } = row
  const [prompt, output] = [share * row.promptLength, share * row.outputLength]
  const context = prompt + output / 2
  const sequences = row.batchSequences === 'max' ? 'max' : row.batchSequences / mesh.data
  const leftOut = (reason: string): Comparison => ({ status: 'left-out', reason })
  if (row.leftOut !== undefined) return leftOut(row.leftOut)

  switch (row.compare) {
    case 'request-latency': {
      if (sequences === 'max') return leftOut('batch not stated')
      const prefill = steps.prefill(sequences, prompt, row.passedOn?.prompts)
      const generate = steps.generate(sequences, context, row.passedOn?.tokens)
      return compared(row.measured.latencySeconds, [
        ['prefill', 1, prefill],
        ['generate', output - 1, generate],
      ])
    }
    case 'decode-latency':
      if (sequences === 'max') return leftOut('batch not stated')
      return compared(row.measured.latencySeconds, [['generate', output, steps.generate(sequences, context)]])
    case 'prefill-latency':
      if (sequences === 'max') return leftOut('batch not stated')
      return compared(row.measured.latencySeconds, [['prefill', 1, steps.prefill(sequences, prompt)]])
    case 'time-per-output-token': {
      if (sequences === 'max') return leftOut('batch not stated')
      const fitting = Math.floor(
        Math.min(generating(sequences, row.measured, output), steps.maxSequences(context, tokensOfStep)),
      )
      if (fitting < 1) return leftOut('predicted not to fit in memory')
      return compared(row.measured.secondsPerToken, [
        ['generate', 1, steps.generate(fitting, context)],
        ['prefill', fitting / (output - 1), promptTime(steps, row, fitting / (output - 1), prompt)],
      ])
    }
    case 'max-throughput': {
      if (row.requests === undefined) return leftOut('number of requests not stated')
      const { ranks } = steps
      const requests = row.requests / mesh.data
      const limits = row.serverLimits ?? steps.bench(prompt, output)
      const room = Math.floor(steps.maxSequences(prompt + output, limits.tokens, cacheShare))
      if (room < 1) return leftOut('predicted not to fit in memory')
      const batch = Math.min(requests, room, ranks * limits.sequences)
      const whole = Math.floor(requests / batch)
      const rest = requests - whole * batch
      const times = (waves: number) => (waves * (output - 1)) / requests
      const together = Math.min(batch, ranks * Math.max(1, Math.floor(limits.tokens / prompt)))
      return compared((mesh.data * output) / row.measured.tokensPerSecond, [
        ['prefill', 1, eachOf(steps, together, prompt)],
        ['generate', times(whole), steps.generate(batch, context)],
        ...(rest > 0
          ? [['generate', times(1), steps.generate(Math.max(rest, ranks), context)] as const]
          : []),
      ])
    }
    case 'throughput':
      return leftOut('lengths not stated')
    case 'out-of-memory':
      return leftOut('ran out of memory, no time to compare')
  }
}

/** Of the sequences in a closed loop those that have their first token, to the nearest: the others wait for it, or are read. */
function generating(sequences: number, measured: TokenTime, output: number): number {
  const { secondsPerToken, timeToFirstTokenSeconds: waiting = 0 } = measured
  const seconds = (output - 1) * secondsPerToken
  return Math.max(1, Math.round((sequences * seconds) / (waiting + seconds)))
}

/** Of one of the prompts of which so many come in during a step, where those of several steps wait for each other up to one a rank. */
function promptTime(
  steps: Steps,
  { waitedSteps = 0 }: InferenceRow,
  arriving: number,
  prompt: number,
): StepTime {
  const gathered = Math.max(arriving, Math.min(steps.ranks, (1 + waitedSteps) * arriving))
  const most = (steps.ranks * tokensOfStep) / prompt
  return eachOf(steps, Math.max(1, Math.floor(Math.min(gathered, most))), prompt)
}

/** Of one of so many prompts that run together. */
function eachOf(steps: Steps, together: number, prompt: number): StepTime {
  const { seconds, parts } = steps.prefill(together, prompt)
  const share = (whole: Seconds): Seconds => whole / together
  return {
    seconds: share(seconds),
    parts: Object.fromEntries(Object.entries(parts).map(([name, whole]) => [name, share(whole)])),
  }
}

const tokensOfStep = 8192

type Term = readonly [phase: 'prefill' | 'generate', count: number, step: StepTime]

function compared(measured: Seconds, terms: readonly Term[]) {
  const parts: Record<string, Seconds> = {}
  for (const [phase, count, step] of terms) {
    for (const [name, seconds] of Object.entries(step.parts)) {
      parts[`${phase} ${name}`] = (parts[`${phase} ${name}`] ?? 0) + count * seconds
    }
  }
  const predicted = terms.reduce((sum, [, count, step]) => sum + count * step.seconds, 0)
  return { status: 'compared', predicted, measured, parts } as const
}
