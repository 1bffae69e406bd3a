/**
 * What a row of measurements would have been, from the times of single steps.
 *
 *   P(b, i)  prefill of b prompts of i tokens      S(b, s)  one token for b sequences with s of context each
 *   o output tokens, c sequences in the system, i + o/2 the mean context while generating
 *
 *   request-latency        P(b, i) + (o − 1) S(b, i + o/2)
 *   decode-latency         o S(b, i + o/2)
 *   prefill-latency        P(b, i)
 *   time-per-output-token  S(b, i + o/2) + b/(o − 1) P(k, i)/k: closed loop, while one request generates each of the b
 *                          others is replaced once, and its prompt runs between the steps; b is c, or what memory holds
 *   max-throughput         the best over b of o / (P(k, i)/k + (o − 1) S(b, i + o/2) / b): every request occupies the
 *                          chips for its prompt and for its share of the steps
 *
 * k prompts run together: those that come in during a step, b/(o − 1), as far as a step takes them (8192 tokens, the
 * default of TensorRT-LLM and what InferenceMAX gives vLLM). Queueing, prompts that share a step with generation, and batches that shrink at the end are left out.
 */
import type { Seconds } from '../../src/units.ts'
import type { InferenceRow } from './inference-row.ts'

export interface StepTime {
  readonly seconds: Seconds
  /** Where they go, by name. */
  readonly parts: Readonly<Record<string, Seconds>>
}

/** One replica of a deployment (data > 1 are several), at any batch and length. */
export interface Steps {
  /** Until the last of the prompts has its first token. */
  readonly prefill: (sequences: number, promptLength: number) => StepTime
  /** Until every one of the sequences has one more token, however they are spread over pipeline stages. */
  readonly generate: (sequences: number, contextLength: number) => StepTime
  /** How many sequences of this length fit beside the weights. */
  readonly maxSequences: (contextLength: number) => number
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
      const prefill = steps.prefill(sequences, prompt)
      const generate = steps.generate(sequences, context)
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
      const fitting = Math.floor(Math.min(sequences, steps.maxSequences(context)))
      if (fitting < 1) return leftOut('predicted not to fit in memory')
      return compared(row.measured.secondsPerToken, [
        ['generate', 1, steps.generate(fitting, context)],
        ['prefill', fitting / (output - 1), promptTime(steps, fitting, prompt, output)],
      ])
    }
    case 'max-throughput': {
      const most = Math.floor(steps.maxSequences(context))
      if (most < 1) return leftOut('predicted not to fit in memory')
      const measured = (mesh.data * output) / row.measured.tokensPerSecond
      const requests = batches(most).map((batch) =>
        compared(measured, [
          ['prefill', 1, promptTime(steps, batch, prompt, output)],
          ['generate', (output - 1) / batch, steps.generate(batch, context)],
        ]),
      )
      return requests.reduce((best, request) => (request.predicted < best.predicted ? request : best))
    }
    case 'throughput':
      return leftOut('lengths not stated')
    case 'out-of-memory':
      return leftOut('ran out of memory, no time to compare')
  }
}

/** Of one of the prompts that run together. */
function promptTime(steps: Steps, sequences: number, prompt: number, output: number): StepTime {
  const together = Math.max(1, Math.floor(Math.min(sequences / (output - 1), tokensOfStep / prompt)))
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
  const parts = Object.fromEntries(
    terms.flatMap(([phase, count, step]) =>
      Object.entries(step.parts).map(([name, seconds]) => [`${phase} ${name}`, count * seconds] as const),
    ),
  )
  const predicted = terms.reduce((sum, [, count, step]) => sum + count * step.seconds, 0)
  return { status: 'compared', predicted, measured, parts } as const
}

/** Powers of two, and the most. */
function batches(most: number): readonly number[] {
  const powers = Array.from({ length: Math.floor(Math.log2(most)) + 1 }, (_, power) => 2 ** power)
  return powers.at(-1) === most ? powers : [...powers, most]
}
