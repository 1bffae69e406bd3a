/** How layers with experts are run: what a launch has to say for it. */
export interface ExpertRecipeRow {
  readonly name: string
  /** What CUDA graphs hold: nothing, what of a layer has sizes that are known, or the whole step. */
  readonly graphs: 'none' | 'parts' | 'step'
  /** One microbatch runs forwards beside another backwards. */
  readonly overlaps: boolean
}
