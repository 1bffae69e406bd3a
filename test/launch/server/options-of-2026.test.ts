/** Options that lay nothing out, options that cap caches, and pages that a command says itself. */
import { expect, it } from 'vitest'
import { knownOf } from '../../../src/launch/read/known-model.ts'
import { readSglang } from '../../../src/launch/sglang/read.ts'
import { readVllm } from '../../../src/launch/vllm/read.ts'
import { catalogueChip, catalogueModel } from '../../catalogue.ts'

const context = {
  ...{ chips: 4, slices: 1, mode: 'serve', chip: catalogueChip('h100-sxm', 'calibrated') },
  model: knownOf(catalogueModel('llama-3-70b')),
}

const sglang = (options: string) =>
  readSglang(`python3 -m sglang.launch_server --model-path m --tp-size 4 ${options}`, context)

it('SGLang does not start with a chunk that is no whole pages of the size that is said', () => {
  const refused = sglang('--page-size 64 --chunked-prefill-size 5000').refusals?.join()
  expect(refused).toContain('no whole pages of 64 positions')
  expect(refused).toContain('4992 and 5056')
  expect(sglang('--page-size 64 --chunked-prefill-size 8192').refusals).toEqual([])
  expect(sglang('--chunked-prefill-size 5000').refusals).toEqual([])
})

it('a cap on the tokens of all caches of SGLang is not counted, and which GPUs of a host there are is immaterial', () => {
  expect(sglang('--max-total-tokens 20000').uncounted?.join()).toContain('--max-total-tokens 20000')
  expect(sglang('--base-gpu-id 4')).toMatchObject({ notUnderstood: [], uncounted: [] })
})

it('vLLM is told how it compiles by keys behind a point, and what it puts aside on hosts', () => {
  const { notUnderstood, notes } = readVllm(
    'vllm serve m -tp 4 -cc.pass_config.fuse_rope_kvcache=True -cc.use_inductor_graph_partition=True --compilation-config.mode=3 --kv-offloading-size 64',
    context,
  )
  expect(notUnderstood).toEqual([])
  expect(notes.join()).toContain('--kv-offloading-size is not counted')
})
