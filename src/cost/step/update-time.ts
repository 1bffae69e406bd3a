/** How long the optimizer takes to update its states. */
import type { Seconds } from '../../units.ts'
import { blend, ofKinds } from '../compile/composed.ts'
import type { StageModel } from '../compile/stage-model.ts'
import { type Scale, sumTerms } from '../compile/term.ts'
import type { StateTerms } from '../memory/state-terms.ts'
import { type CostModel, stageModel } from '../model.ts'
import type { StageGroup } from './stages.ts'

/** Of the stage of a cut that takes longest. */
export type UpdateTime = (groups: readonly StageGroup[]) => Seconds

/**
 * The optimizer streams its states through HBM once a step, and Muon multiplies matrices, on the stage that has the most. States on
 * the host come and go over its link, one after the other. What layers and ends take is worked out once for all cuts of a mesh, which is in
 * the scale.
 */
export function updateTimes(model: CostModel, stage: StageModel, scale: Scale): UpdateTime {
  const { rates, problem } = model
  const { assumptions, cluster } = problem
  const { optimizerStep, optimizerOnHost } = assumptions
  if (!optimizerStep && !optimizerOnHost) return () => 0
  const streamed = ({ updated, updateFlops }: StateTerms): Seconds =>
    sumTerms(updated, scale) * rates.secondsPerByte +
    sumTerms(updateFlops, scale) * rates.secondsPerUpdateFlop
  const moved = ({ optimizer }: StateTerms): Seconds =>
    (2 * sumTerms(optimizer, scale)) / cluster.chip.hostBytesPerSecond
  const time = (states: StateTerms): Seconds =>
    (optimizerStep ? streamed(states) : 0) + (optimizerOnHost ? moved(states) : 0)
  const kinds = model.kinds?.()
  const average = time(stage.layerStates)
  const { dense, sparse } = kinds
    ? ofKinds(kinds, (kind) => time(stageModel(kind, stage.zeroStage).layerStates))
    : { dense: average, sparse: average }
  const head = time(stage.headStates)
  const embedding = time(stage.embeddingStates)
  // A chip that has the head as well has a tied matrix there.
  const besideHead = problem.model.tiedEmbeddings ? time(stage.positionStates) : embedding
  return (groups) => {
    let most = 0
    for (const group of groups) {
      const front = group.first ? (group.last ? besideHead : embedding) : 0
      const layer = group.composition ? blend(group.composition, dense, sparse) : average
      const own = group.held * group.layers * layer + front + (group.last ? head : 0)
      most = Math.max(most, own / (stage.zeroStage > 0 ? group.held : 1))
    }
    return most
  }
}
