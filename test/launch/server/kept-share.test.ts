/** What a server keeps on another mesh is what its command would be read to keep there. */
import { expect, it } from 'vitest'
import { resolveCluster } from '../../../src/hardware/cluster/resolve.ts'
import { shareOn } from '../../../src/launch/kept-share.ts'
import { knownOf } from '../../../src/launch/read/known-model.ts'
import type { ReadingContext } from '../../../src/launch/read/reading.ts'
import { readSglang } from '../../../src/launch/sglang/read.ts'
import { readVllm } from '../../../src/launch/vllm/read.ts'
import type { ServeSketch } from '../../../src/plan-sketch.ts'
import { unitMesh } from '../../../src/sharding/axis.ts'
import { catalogueChip, catalogueModel } from '../../catalogue.ts'

const chip = catalogueChip('h100-sxm', 'calibrated')

function laidBy(read: typeof readVllm, model: string, words: string) {
  const context: ReadingContext = {
    ...{ chips: 8, slices: 1, mode: 'serve' as const, chip },
    model: knownOf(catalogueModel(model)),
  }
  const { generate, ...sketch } = read(words, context).plan as ServeSketch
  const mesh = { ...unitMesh, ...generate?.mesh }
  return { ...sketch, laid: { mesh, layout: generate?.layout ?? {} } }
}

it.each([
  ['a rank alone and two', 'llama-3.3-70b', '', '-tp 1', '-tp 2'],
  ['two ranks and one alone', 'llama-3.3-70b', '', '-tp 2', '-tp 1'],
  [
    'more ranks for prompts of long steps',
    'llama-3.3-70b',
    '--max-num-batched-tokens 65536',
    '-tp 2',
    '-tp 8',
  ],
  ['stages', 'llama-3.3-70b', '', '-tp 2', '-tp 2 -pp 4'],
  ['stages without graphs', 'llama-3.3-70b', '--enforce-eager', '-tp 1', '-tp 2 -pp 4'],
  ['stages with few graphs', 'llama-3.3-70b', '--max-cudagraph-capture-size 64', '-tp 1', '-tp 4 -pp 2'],
  ['groups of data-parallel attention', 'deepseek-r1', '', '-tp 8', '-tp 1 -dp 8 --enable-expert-parallel'],
  ['experts', 'qwen3-235b-a22b', '--enable-expert-parallel', '-tp 4', '-tp 2 -dp 4'],
  ['caches in bytes', 'llama-3.3-70b', '--kv-cache-memory-bytes 8G', '-tp 1', '-tp 4'],
] as const)('of vLLM: %s', (_, name, options, from, to) => {
  const [own, other] = [from, to].map((ranks) =>
    laidBy(readVllm, name, `vllm serve m --max-num-seqs 256 ${options} ${ranks}`),
  )
  if (!own?.cacheShare || !other) throw new Error('a share is read')
  const moved = shareOn(own.cacheShare, settingOf(name), own, own.laid, other.laid)
  const { keptBytes: kept = 0, ...rest } = moved
  const { keptBytes: read = 0, ...share } = other.cacheShare ?? {}
  expect(rest).toEqual(share)
  // Whole bytes.
  expect(Math.abs(kept - read)).toBeLessThanOrEqual(2)
  expect(read).not.toBe(own.cacheShare.keptBytes)
})

it('of SGLang, which has its share of what is free beside NCCL', () => {
  const [own, other] = [1, 4].map((tensors) =>
    laidBy(
      readSglang,
      'llama-3-8b',
      `python -m sglang.launch_server --model-path m --mem-fraction-static 0.8 --tp ${tensors}`,
    ),
  )
  if (!own?.cacheShare || !other) throw new Error('a share is read')
  const moved = shareOn(own.cacheShare, settingOf('llama-3-8b'), own, own.laid, other.laid)
  expect(moved).toEqual(other.cacheShare)
  expect(moved).not.toEqual(own.cacheShare)
})

it.each([
  [{ ofChip: 0.9 }],
  [{ ofFree: 0.9, keptBytes: 1e9 }],
])('a share of which it is not known: %j', (share) => {
  const [from, to] = [1, 4].map((tensor) => ({ mesh: { ...unitMesh, tensor }, layout: {} }))
  if (!from || !to) throw new Error('two meshes')
  expect(shareOn(share, settingOf('llama-3-8b'), {}, from, to)).toEqual(share)
})

function settingOf(name: string) {
  const resolution = resolveCluster({ chip, chips: 8 })
  if (!('cluster' in resolution)) throw new Error('eight chips are a cluster')
  return { model: catalogueModel(name), cluster: resolution.cluster }
}
