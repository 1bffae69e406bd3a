/** The share of memory that SGLang takes where nothing is said: what its own formula makes of the command, the chip and the model. */
import { describe, expect, it } from 'vitest'
import { readSglang } from '../../../src/launch/sglang/read.ts'
import { catalogueChip } from '../../catalogue.ts'

const model = {
  ...{ layers: 64, latent: false, parallelBlocks: false, experts: false, sharedExperts: false },
  ...{ denseLayers: true, recurrent: false, maxSequenceLength: null },
}

function shareOf(options: string, chip = 'h100-sxm', known: Partial<typeof model> = {}) {
  const context = { ...{ chips: 8, slices: 1, mode: 'serve' }, model: { ...model, ...known } }
  const { plan, notes } = readSglang(`python3 -m sglang.launch_server --model-path m ${options}`, {
    ...context,
    chip: catalogueChip(chip, 'calibrated'),
  })
  return { share: (plan.cacheShare as { readonly ofMemory: number }).ofMemory, notes: notes.join() }
}

describe('the share of SGLang', () => {
  it.each([
    // sgl-project/sglang issue 29092: Qwen3 32B on H100.
    ['--tp 2', 'h100-sxm', {}, 0.828],
    // Graphs of up to 512 sequences where four chips share a layer.
    ['--tp 4', 'h100-sxm', {}, 0.819],
    ['--tp 2 --chunked-prefill-size 4096', 'h100-sxm', {}, 0.874],
    ['--tp 2 --chunked-prefill-size 16384', 'h100-sxm', {}, 0.676],
    ['--tp 2', 'h100-sxm', { latent: true }, 0.815],
    ['--tp 8 --dp 8 --enable-dp-attention', 'h200-sxm', {}, 0.765],
    ['--tp 1', 'a10g', {}, 0.822],
  ] as const)('%s on %s', (options, chip, known, share) => {
    const told = shareOf(options, chip, known)
    expect(told.share).toBeCloseTo(share, 3)
    expect(told.notes).toContain(`--mem-fraction-static is not said: ${told.share}`)
  })

  it('is the least that a large chip is left with, where a server only generates', () => {
    expect(shareOf('--tp 2 --disaggregation-mode decode').share).toBeCloseTo(1 - 10240 / 81558, 3)
  })

  it('is what the command says where it says one', () => {
    const { share, notes } = shareOf('--tp 2 --mem-fraction-static 0.9')
    expect([share, notes]).toEqual([0.9, expect.not.stringContaining('mem-fraction')])
  })
})
