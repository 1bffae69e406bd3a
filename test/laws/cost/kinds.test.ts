/** Layers of one kind move over sets of axes that the whole model moves over, as the prices of their moves are those of the whole (cost/posed.ts). */
import { expect, it } from 'vitest'
import { contextModels } from '../../../src/search/layouts/context-models.ts'
import { problem } from '../../problem.ts'

const asked = ['deepseek-v3', 'llama-4-maverick', 'glm-4.5', 'nemotron-3-nano-30b-a3b', 'qwen3-next-80b-a3b']
  .flatMap((model) => (['book', 'calibrated'] as const).map((basis) => ({ model, basis })))
  .flatMap((of) => ['h100-sxm', 'tpu-v5p'].map((chip) => ({ ...of, chip })))

it.each(asked)('of $model on $chip, $basis', ({ model, chip, basis }) => {
  const made = problem({
    ...{ model, chip, chips: 64, sequenceLength: 4096, batchTokens: 64 * 4096 },
    assumptions: { basis },
  })
  let compared = 0
  for (const { sets, kinds } of contextModels(made)) {
    const own = new Set(sets)
    for (const kind of Object.values(kinds?.() ?? {})) {
      for (const set of kind.sets) expect(own.has(set)).toBe(true)
      compared += kind.sets.length
    }
  }
  expect(compared).toBeGreaterThan(5)
})
