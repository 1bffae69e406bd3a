/** A question of the review: its title, and the request as a client would send it. */

export interface Question {
  readonly name: string
  readonly request: object
}

/** More of a request than its model, chips and workload. */
type More = Readonly<Record<string, unknown>>

export const million = 2 ** 20

/** Matmuls in fp8 in training. */
export const fp8: More = { precision: { compute: 'fp8' } }

/** Weights, matmuls and caches in fp8, as most servers run models that are not stored so. */
export const servedFp8: More = { precision: { weights: 'fp8', compute: 'fp8', kvCache: 'fp8' } }

/** Chips by their name in the catalogue, with the number or the topology. */
export const on = (chip: string, size: number | readonly number[]) =>
  typeof size === 'number' ? { chip, chips: size } : { chip, topology: size }

interface Workload {
  readonly mode: 'train' | 'prefill' | 'generate' | 'serve'
}

function asks(name: string, model: string, hardware: object, workload: Workload, more: More): Question {
  return { name, request: { model, hardware, workload, ...more } }
}

export const trains = (
  name: string,
  model: string,
  hardware: object,
  batchTokens: number,
  sequenceLength: number,
  more: More = {},
): Question => asks(name, model, hardware, { mode: 'train', ...{ batchTokens, sequenceLength } }, more)

export const reads = (
  name: string,
  model: string,
  hardware: object,
  batchSequences: number,
  promptLength: number,
  more: More = {},
): Question => asks(name, model, hardware, { mode: 'prefill', ...{ promptLength, batchSequences } }, more)

export const generates = (
  name: string,
  model: string,
  hardware: object,
  batchSequences: number | 'max',
  contextLength: number,
  more: More = {},
): Question => asks(name, model, hardware, { mode: 'generate', ...{ batchSequences, contextLength } }, more)

/**
 * A deployment, for a load or (undefined) for as much as the chips sustain. The pairs are the tokens of prompt and
 * output, and the most seconds to the first token and for each after it.
 */
export const serves = (
  name: string,
  model: string,
  hardware: object,
  requestsPerSecond: number | undefined,
  [promptLength, outputLength]: readonly [number, number],
  [maxTimeToFirstTokenSeconds, maxTimePerOutputTokenSeconds]: readonly [number, number],
  more: More = {},
): Question => {
  const workload = {
    ...{ mode: 'serve' as const, promptLength, outputLength },
    ...(requestsPerSecond === undefined ? {} : { requestsPerSecond }),
    ...{ maxTimeToFirstTokenSeconds, maxTimePerOutputTokenSeconds },
  }
  return asks(name, model, hardware, workload, more)
}
