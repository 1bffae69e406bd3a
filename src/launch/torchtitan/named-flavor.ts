/** A model as torchtitan calls it, and what has to be known of it. */
export interface Flavor {
  readonly model: { readonly name: string; readonly flavor: string }
  readonly pipelines: boolean
  readonly notes: readonly string[]
}
