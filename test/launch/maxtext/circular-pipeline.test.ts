/** How far the bubble of a circular pipeline is off, as a file is read. */
import { expect, it } from 'vitest'
import { readMaxtext } from '../../../src/launch/maxtext/read/read.ts'

const llama = {
  ...{ base_num_decoder_layers: 32, base_emb_dim: 4096, base_num_query_heads: 32, base_mlp_dim: 14_336 },
  ...{ ici_pipeline_parallelism: 4, num_pipeline_microbatches: 8, per_device_batch_size: 8 },
}

const noteOf = (more: object) =>
  readMaxtext({ ...llama, ...more }, { chips: 16, slices: 1, mode: null, model: null }).notes.find((note) =>
    note.includes('num_pipeline_repeats'),
  )

it('is told by its stages and repeats, as a share of a pass', () => {
  // 3 of 8 + 3 turns, and of 8 x 8 + 3
  expect(noteOf({})).toMatch(/one repeat, where its 4 stages have 8: .* 27 % of a pass instead of 4\.5 %/)
  expect(noteOf({ num_layers_per_pipeline_stage: 4 })).toMatch(/have 2: .* 27 % of a pass instead of 16 %/)
  expect(noteOf({ num_pipeline_repeats: 8, num_pipeline_microbatches: 4 })).toMatch(/43 % .* 8\.6 %/)
})

it('is not off with one repeat, nor without a pipeline', () => {
  expect(noteOf({ num_layers_per_pipeline_stage: 8 })).toBeUndefined()
  expect(noteOf({ num_pipeline_repeats: 1, num_layers_per_pipeline_stage: 8 })).toBeUndefined()
  expect(noteOf({ ici_pipeline_parallelism: 1 })).toBeUndefined()
})

it('is not told where repeats are not whole, or layers not known', () => {
  const plain = /counted with one repeat$/
  expect(noteOf({ num_layers_per_pipeline_stage: 3 })).toMatch(plain)
  expect(noteOf({ base_num_decoder_layers: 0, model_name: 'some-model' })).toMatch(plain)
})
