/** How long the optimizer takes to update its states. */
import type { Seconds } from '../../units.ts'
import { blend, ofKinds } from '../compile/composed.ts'
import type { StageModel } from '../compile/stage-model.ts'
import { type Scale, sumTerms } from '../compile/term.ts'
import type { StateTerms } from '../memory/state-terms.ts'
import { type CostModel, stageModel } from '../model.ts'
import type { StageGroup } from './stages.ts'

/**
 * The optimizer streams its states through HBM once a step, and Muon multiplies matrices, on the stage that has the most. States on
 * the host come and go over its link, one after the other.
 */
export function updateTime(
  model: CostModel,
  stage: StageModel,
  groups: readonly StageGroup[],
  scale: Scale,
): Seconds {
  const { rates, problem } = model
  const { assumptions, cluster } = problem
  const { optimizerStep, optimizerOnHost } = assumptions
  if (!optimizerStep && !optimizerOnHost) return 0
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
  let most = 0
  for (const group of groups) {
    const tied = group.last && problem.model.tiedEmbeddings
    const front = group.first ? time(tied ? stage.positionStates : stage.embeddingStates) : 0
    const layer = group.composition ? blend(group.composition, dense, sparse) : average
    const own = group.held * group.layers * layer + front + (group.last ? head : 0)
    most = Math.max(most, own / (stage.zeroStage > 0 ? group.held : 1))
  }
  return most
}
