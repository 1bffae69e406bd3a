/**
 * What there is to know of a pipeline schedule. p stages run m microbatches, v virtual stages on each chip; F, B and W are
 * the times of forward pass, input gradients and weight gradients of one microbatch on one of p equal stages.
 */
export interface ScheduleRow {
  readonly name: string
  /** A mesh of one stage has no pipeline to schedule; every other has one that is. */
  readonly pipelined: boolean
  /**
   * The fewest and the most virtual stages that the search tries. More than one must only be tried with p microbatches or
   * more, which bounds over all meshes rely on.
   */
  readonly virtualStages: readonly [least: number, most: number]
  /** Stages whose weights a chip holds: of two, chip i has stages i and p - 1 - i, and half of the microbatches on each. */
  readonly stagesPerChip: 1 | 2
  /** Microbatches whose activations a stage holds at once, at most. */
  readonly inFlight: (stage: number, stages: number, microbatches: number, virtualStages: number) => number
  /** Where the backward pass runs in two pieces, what a stage waits for and what it fills that with. */
  readonly split: ((stages: number, microbatches: number) => SplitBackward) | null
  /**
   * Of the bubble that is certain, (p - 1)/v·(F + B + W - f·W), the f. Null where none is: such a schedule must need two
   * microbatches a stage, so that bounds over all meshes may take a layer's overhead once.
   */
  readonly fillsOfBubble: number | null
  /** Tokens on their way to experts move beside another microbatch's compute. */
  readonly hidesRouted: boolean
  /** They may, where a framework is told to run one microbatch forwards beside another backwards: `overlapDispatch` of the assumptions. */
  readonly mayHideRouted: boolean
  /** What it cannot run without. */
  readonly needs: Needs | null
  /** Whether the search tries it: what it would run at a loss need not be. */
  readonly worthwhile: (stages: number, microbatches: number) => boolean
}

/**
 * The bubble of a stage s that waits for the others' forward passes and input gradients, not for their weight gradients, and
 * fills it with those of as many layers as the stage of fewest has:
 *
 *   Σ_{i≠s} (a·F_i + b·B_i) - k·W, at least 0
 */
export interface SplitBackward {
  /** a, b and k. */
  readonly forwards: number
  readonly inputGradients: number
  readonly fills: number
}

export interface Needs {
  readonly stages: (stages: number) => boolean
  readonly microbatches: (microbatches: number, stages: number) => boolean
  /** What both ask for, as the end of a sentence that begins with its name. */
  readonly says: string
}
