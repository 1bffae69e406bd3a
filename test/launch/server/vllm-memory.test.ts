/** The room that vLLM's command is read to leave caches, against what vLLM printed as it started. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { knownOf } from '../../../src/launch/read/known-model.ts'
import { readVllm } from '../../../src/launch/vllm/read.ts'
import type { CacheShare } from '../../../src/plan-sketch.ts'
import { catalogueChip, catalogueModel } from '../../catalogue.ts'

interface Row {
  readonly id: string
  readonly split: 'fit' | 'test'
  readonly model: string
  readonly named: string
  readonly chip: string
  readonly ranks: number
  readonly utilization: number
  readonly graphed?: number
  readonly measuredGiB: Readonly<Record<'weights' | 'graphs' | 'caches', number>>
}

const file = new URL('../../../fixtures/measurements/serving-memory.jsonl', import.meta.url)
const rows: readonly Row[] = readFileSync(file, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line))

function shareOf(words: string, model = 'llama-3.3-70b', chip = 'h100-sxm'): Required<CacheShare> {
  const context = { ...{ chips: 8, slices: 1, mode: 'serve' }, chip: catalogueChip(chip, 'calibrated') }
  const known = knownOf(catalogueModel(model))
  return readVllm(`vllm serve ${words}`, { ...context, model: known }).plan.cacheShare as Required<CacheShare>
}

/** Predicted less measured room for caches in GiB, once graphs are off it as they are since v0.21. */
function error({ named, ranks, utilization, graphed, model, chip, measuredGiB }: Row): number {
  const graphs = graphed ? ` --max-cudagraph-capture-size ${graphed}` : ''
  const words = `${named} -tp ${ranks} --gpu-memory-utilization ${utilization}${graphs}`
  const { ofChip, keptBytes } = shareOf(words, model, chip)
  const all = catalogueChip(chip, 'calibrated').hbmBytes
  const room = (ofChip * all - keptBytes) / 2 ** 30 - measuredGiB.weights
  return room - (measuredGiB.caches - measuredGiB.graphs)
}

describe.each(['fit', 'test'] as const)('of the %s rows', (split) => {
  const errors = rows.filter((row) => row.split === split).map((row) => Math.abs(error(row)))
  errors.sort((a, b) => a - b)
  it('half are within 0.25 GiB of what caches had, nine of ten within 0.5', () => {
    expect(errors.length).toBeGreaterThan(6)
    expect(errors[Math.floor(errors.length / 2)]).toBeLessThan(0.25)
    expect(errors[Math.floor(errors.length * 0.9) - 1]).toBeLessThan(0.5)
    expect(errors.at(-1)).toBeLessThan(1)
  })
})

it('no fewer rows are for testing than for fitting', () => {
  const count = (split: string) => rows.filter((row) => row.split === split).length
  expect(count('test')).toBeGreaterThanOrEqual(count('fit'))
})

describe('what vLLM keeps of its share', () => {
  const kept = (words: string) => shareOf(`m ${words}`).keptBytes
  it.each([
    ['several ranks', '-tp 2', '-tp 1'],
    ['sequences that may run', '-tp 2 --max-num-seqs 1024', '-tp 2 --max-num-seqs 64'],
    ['tokens of a step', '-tp 2 --max-num-batched-tokens 16384', '-tp 2 --max-num-batched-tokens 2048'],
    ['graphs', '-tp 2', '-tp 2 --enforce-eager'],
  ])('is more for %s', (_, more, less) => {
    expect(kept(more)).toBeGreaterThan(kept(less))
  })

  it('follows from 0.92 where no share is said', () => {
    expect(shareOf('m -tp 2').ofChip).toBe(0.92)
  })
})
