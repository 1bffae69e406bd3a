import { totalAt } from '../../../src/cost/communication/traffic.ts'
import { costModel } from '../../../src/cost/compiled-model.ts'
import { stageModel } from '../../../src/cost/model.ts'
import { computeNumbers, trafficNumbers } from '../../../src/cost/step/microbatch.ts'
import { createStepScratch, stageTime } from '../../../src/cost/step/stage-time.ts'
import type { Layers, StageGroup } from '../../../src/cost/step/stages.ts'
import { stepTime } from '../../../src/cost/step/step.ts'
import { placements } from '../../../src/hardware/network/placement.ts'
import type { Transformer } from '../../../src/model/transformer.ts'
import { stageCuts } from '../../../src/search/stages/stage-cuts.ts'
import { unitMesh } from '../../../src/sharding/axis.ts'
import type { Seconds } from '../../../src/units.ts'
import { catalogueModel } from '../../catalogue.ts'
import { section } from '../case.ts'
import { onSwitches, switched } from '../hardware/networks.ts'
import { modelOf } from '../models.ts'
import { tensorForwardTime } from './tensor-layers.ts'
import { mixOf, problemOf, scaleOf, type Training } from './training.ts'

section('pipelines', (hold) => {
  hold('gpu-pp-16st-32mb', 'activations go from stage to stage m + p - 2 times', (input) => {
    const model = modelOf({ layers: input('layers'), dModel: input('D') })
    const [stages, microbatches] = [input('stages'), input('microbatches')]
    const { hop, all } = transfers(model, input('B_tokens'), stages, microbatches, input('W'))
    return {
      per_hop_s: hop,
      total_s: all,
      per_layer_exact_s: all / model.layers,
      exact_multiplier: all / (microbatches * hop),
    }
  })

  for (const id of ['art-pp-N2', 'art-pp-N16']) {
    hold(
      id,
      'a pipeline moves the stream once a stage, where tensor parallelism sums it all along',
      (input) => {
        const model = catalogueModel('llama-1-65b')
        const { all } = transfers(model, input('batch'), input('N_pp'), 1, input('bw_p2p'))
        const tensor = onSwitches(switched([[null, input('bw_p2p')]]), { tensor: input('N_pp') })
        return { latency_s: all, ratio_tp_over_pp: tensorForwardTime(model, tensor, input('batch')) / all }
      },
    )
  }
})

/** Of the forward pass: what the windows of one stage hold for its microbatches, and what filling the pipeline adds. */
function transfers(
  transformer: Transformer,
  batchTokens: number,
  stages: number,
  microbatches: number,
  bytesPerSecond: number,
): { readonly hop: Seconds; readonly all: Seconds } {
  const costs = (rate: number) => {
    const network = switched([[null, rate]])
    const training: Training = { model: transformer, batchTokens, mesh: { pipeline: stages }, network }
    const model = costModel(problemOf(training))
    const scale = scaleOf(model, training, microbatches)
    const mesh = { ...unitMesh, pipeline: stages }
    const [placement] = placements(network, mesh)
    if (!placement) throw new RangeError('A switched network places every mesh')
    const compute = computeNumbers(model, scale)
    const traffic = trafficNumbers(model, stageModel(model, 0), scale, model.prices.placed(placement, mesh))
    const schedule = { name: '1f1b', virtualStages: 1 } as const
    const cuts = stageCuts(model, stages, schedule, microbatches, compute)
    const groups = cuts?.kind === 'alike' ? (cuts.of(cuts.evenLast)?.groups() ?? []) : []
    const layers: Layers = { groups, schedule, microbatches, update: 0 }
    const scratch = createStepScratch(model.resources)
    const mix = mixOf(model, 'full')
    const numbers = { model, compute, traffic, layers, scratch }
    const step = stepTime(numbers, mix, 'expected')
    stageTime(numbers, groups[0] as StageGroup, mix, 'upper')
    return { step, hop: traffic.transferTime, inForwardWindow: scratch.forward[totalAt] ?? 0 }
  }
  const real = costs(bytesPerSecond)
  const filling = real.step - costs(Number.POSITIVE_INFINITY).step
  return { hop: real.hop, all: microbatches * real.inForwardWindow + filling }
}
