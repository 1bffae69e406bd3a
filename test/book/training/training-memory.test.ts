import { microbatchChoices } from '../../../src/search/layouts/choices.ts'
import { unitMesh } from '../../../src/sharding/axis.ts'
import { catalogueChip, catalogueModel } from '../../catalogue.ts'
import { section } from '../case.ts'
import { inventedChip } from '../chips.ts'
import { crossing } from '../crossing.ts'
import { modelOf, modelOfSize } from '../models.ts'
import { memoryOf, problemOf, type Training } from './training.ts'

section('memory of training', (hold) => {
  for (const [id, policy] of [
    ['tf-remat-none', 'none'],
    ['tf-remat-matmuls', 'minimal'],
  ] as const) {
    hold(id, `activations of four million tokens under the policy ${policy}`, (input) => {
      const model = modelOf({ layers: input('L'), dModel: input('D') })
      return { bytes: memoryOf({ model, batchTokens: input('tokens'), policy }).activations }
    })
  }

  hold('tr-pure-dp-model-size', 'a chip holds a tenth as many parameters as it has bytes', (input) => {
    const states = (parameters: number) => memoryOf({ model: modelOfSize(parameters) }).states
    const over = (parameters: number) => states(parameters) - input('hbm_bytes')
    return { max_params: crossing(over, 1e8, 1e12, 1e-5) }
  })

  hold('tr-q2-memory', 'a 13B model and what it keeps of 16 million tokens', (input) => {
    const { states, activations } = memoryOf({
      model: catalogueModel('llama-2-13b'),
      batchTokens: input('B'),
      policy: 'save_mlp_proj',
    })
    return { params_and_opt_bytes: states, act_bytes: activations }
  })

  hold('tr-q3-slice', 'a 13B model fits 4096 chips sharded, and none of them whole', (input) => {
    const chip = catalogueChip('tpu-v5p', 'book')
    const chips = input('chips')
    const training: Training = {
      model: catalogueModel('llama-2-13b'),
      chip,
      batchTokens: input('B'),
      policy: 'save_mlp_proj',
    }
    const whole = memoryOf(training)
    const sharded = memoryOf({ ...training, mesh: { fsdp: chips }, zeroStage: 3 })
    const { cluster } = problemOf({ ...training, mesh: { fsdp: chips } })
    // The book's 96 sequences are of three binary millions of tokens.
    const problem = problemOf({ ...training, batchTokens: 3 * 2 ** 20, sequenceLength: input('seq') })
    const [unsplit] = microbatchChoices(unitMesh, problem)
    return {
      slice_hbm: cluster.chips * chip.hbmBytes,
      sequences: unsplit?.sequences ?? 0,
      act_bytes: whole.activations,
      total_bytes: whole.states + whole.activations,
      per_chip_bytes: sharded.states + sharded.activations,
      fits_pure_dp: memoryOf({ ...training, mesh: { data: chips } }).short <= 0,
    }
  })

  hold('gpu-quiz5-q2-1', 'a 70B model needs nine GPUs, and so two nodes', (input) => {
    const model = modelOfSize(input('params'))
    const chip = inventedChip(1e15, 1e12, input('hbm'))
    const { states } = memoryOf({ model, chip })
    const short = (gpus: number) =>
      memoryOf({ model, chip, mesh: { fsdp: gpus }, zeroStage: 3, batchTokens: 0 }).short
    const gpus = Array.from({ length: 100 }, (_, index) => index + 1).find((count) => short(count) <= 0) ?? 0
    const { system } = catalogueChip('h100-sxm', 'book')
    const node = system.kind === 'switched' ? (system.tiers[0]?.size ?? 0) : 0
    return { bytes: states, min_gpus: gpus, min_nodes: Math.ceil(gpus / node) }
  })
})
