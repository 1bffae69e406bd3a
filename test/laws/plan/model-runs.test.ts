/** Models whose own published runs were far from their predictions: they are told, and bands reach as far. */
import { describe, expect, it } from 'vitest'
import { loadCatalogue } from '../../../api/catalogue.ts'
import { isFarOff } from '../../../src/plan/certainty/model-runs.ts'
import { offCentre } from '../../../src/plan/certainty/off-centre.ts'
import { uncertaintyOf } from '../../../src/plan/certainty/uncertainty.ts'
import type { Compared } from '../../accuracy/compared.ts'
import { modelRecord } from '../../accuracy/model-record.ts'
import { problem } from '../../problem.ts'

const { residuals, recipes } = loadCatalogue()
const launches = { maxtext: [] }

function on(model: string, chip: string, sequenceLength = 8192) {
  const asked = problem({ model, chip, chips: 64, batchTokens: 64 * 8192, sequenceLength })
  return { ...asked, residuals }
}

describe('runs of a model that were far off', () => {
  const own = on('gpt-oss-120b', 'tpu-7x')
  const uncertainty = uncertaintyOf(own, 'train', launches, 1)
  const runs = recipes.filter(({ model, chip }) => model === 'gpt-oss-120b' && chip === 'tpu-7x')

  it('lie within the band, which holds the one of other models too', () => {
    const others = uncertaintyOf({ ...own, residuals: { ...residuals, models: [] } }, 'train', launches, 1)
    const [low = 0, high = 0] = uncertainty?.nineOfTenSeconds ?? []
    expect(runs.length).toBeGreaterThan(1)
    for (const { measured, predicted } of runs) {
      const ratio = (measured.stepTimeSeconds ?? 0) / (predicted?.stepTimeSeconds ?? 1)
      expect(ratio).toBeGreaterThan(others?.nineOfTenSeconds[1] ?? 0)
      expect(ratio).toBeGreaterThan(low)
      expect(ratio).toBeLessThan(high)
    }
    expect(low).toBe(others?.nineOfTenSeconds[0])
    expect(others?.basis.model).toBeNull()
  })

  it('are told beside a plan, with whose they are', () => {
    const model = uncertainty?.basis.model
    expect(model).toMatchObject({ generation: 'tpu-7x', framework: 'maxtext', rows: runs.length })
    expect(isFarOff(model?.median ?? 1)).toBe(true)
    expect(offCentre('a step', uncertainty)).toMatch(
      /^published runs of this model on tpu-7x under maxtext took 2 times their predicted time .* not corrected for that$/,
    )
  })

  it('say nothing of other models, chips, frameworks and lengths', () => {
    const asked = [
      uncertaintyOf(on('mixtral-8x7b', 'tpu-7x'), 'train', launches, 1),
      uncertaintyOf(on('gpt-oss-120b', 'tpu-v5p'), 'train', launches, 1),
      uncertaintyOf(on('gpt-oss-120b', 'tpu-7x', 32_768), 'train', launches, 1),
      uncertaintyOf(own, 'train', { maxtext: { unsupported: ['no'] } }, 1),
    ]
    expect(asked.map((one) => one?.basis.model)).toEqual([null, null, null, null])
  })
})

describe('the record of such runs', () => {
  const row: Compared = {
    ...{ id: 'ironwood_gpt-oss-120b_64_8192_bf16', phase: 'training', kind: 'experts', era: 'modern' },
    ...{
      stack: 'MaxText',
      release: '1',
      chip: 'tpu-7x',
      split: 'fit',
      group: 'one',
      question: '',
      layout: '',
    },
    ...{ predicted: 1, measured: 1.5, within: null },
  }

  it('has what is far off in the middle, whether or not constants were fitted to it', () => {
    expect(modelRecord([row])).toMatchObject([
      { mode: 'train', generation: 'tpu-7x', median: 1.5, named: true },
    ])
    expect(modelRecord([{ ...row, split: 'test' }], false)).toMatchObject([{ median: 1.5, named: false }])
    const near = ['two', 'three'].map((group) => ({ ...row, group, measured: 1.1 }))
    expect(modelRecord([row, ...near])).toEqual([])
  })

  it('leaves out runs of older releases', () => {
    expect(modelRecord([{ ...row, era: 'older' }])).toEqual([])
  })
})
