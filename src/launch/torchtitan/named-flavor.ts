/** A model's name in torchtitan, whether it supports a pipeline, and notes on it. */
export interface Flavor {
  readonly model: { readonly name: string; readonly flavor: string }
  readonly pipelines: boolean
  readonly notes: readonly string[]
}
