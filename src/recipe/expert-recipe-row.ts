/** A way to run layers with experts, as far as a launch has to say it. */
export interface ExpertRecipeRow {
  readonly name: string
  /** What CUDA graphs hold: nothing, the parts of a layer whose sizes are known, or the whole step. */
  readonly graphs: 'none' | 'parts' | 'step'
  /** Whether one microbatch runs forwards beside another backwards. */
  readonly overlaps: boolean
}
