/**
 * The columns of the table of pipeline schedules. p stages run m microbatches, with v virtual stages on each chip; F, B and W are
 * the times of forward pass, input gradients and weight gradients of one microbatch on one of p equal stages.
 */
export interface ScheduleRow {
  readonly name: string
  /** False only for a mesh of one stage, which has no pipeline to schedule; every other mesh has a schedule that is. */
  readonly pipelined: boolean
  /**
   * The fewest and the most virtual stages that the search tries however the layers divide. Where that is more than one, it also
   * tries more of them if they leave all chunks alike. More than one must only be tried with p microbatches or more, which bounds
   * over all meshes rely on.
   */
  readonly virtualStages: readonly [least: number, most: number]
  /** Stages whose weights a chip holds. With two, chip i has stages i and p - 1 - i, and runs half of the microbatches on each. */
  readonly stagesPerChip: 1 | 2
  /** The most microbatches whose activations a stage holds at once. */
  readonly inFlight: (stage: number, stages: number, microbatches: number, virtualStages: number) => number
  /** Where the backward pass runs in two pieces, what a stage waits for and what it fills that time with; null where it runs whole. */
  readonly split: ((stages: number, microbatches: number) => SplitBackward) | null
  /**
   * The f in the bubble that is certain, (p - 1)/v·(F + B + W - f·W). Null when no bubble is certain: such a schedule must need two
   * microbatches a stage, so that bounds over all meshes may count a layer's overhead once.
   */
  readonly fillsOfBubble: number | null
  /** Whether tokens move to their experts beside another microbatch's compute. */
  readonly hidesRouted: boolean
  /** Whether they may, once a framework is told to run one microbatch forwards beside another backwards (`overlapDispatch` of the assumptions). */
  readonly mayHideRouted: boolean
  /** What it cannot run without; null when it can always run. */
  readonly needs: Needs | null
  /** Whether the search tries it with these numbers: it need not try what would run at a loss. */
  readonly worthwhile: (stages: number, microbatches: number) => boolean
}

/**
 * The bubble of a stage s that waits for the other stages' forward passes and input gradients but not for their weight gradients, and
 * that fills the wait with weight gradients, of as many layers as the shortest stage has:
 *
 *   Σ_{i≠s} (a·F_i + b·B_i) - k·W, at least 0
 */
export interface SplitBackward {
  /** The letters a, b and k. */
  readonly forwards: number
  readonly inputGradients: number
  readonly fills: number
}

export interface Needs {
  readonly stages: (stages: number) => boolean
  readonly microbatches: (microbatches: number, stages: number) => boolean
  /** What both conditions ask for, as the end of a sentence that begins with the schedule's name. */
  readonly says: string
}
