/** A model's name in torchtitan, whether it supports a pipeline, and notes on it. */
export interface Flavor {
  readonly model: { readonly name: string; readonly flavor: string }
  /** Whether it is one of torchtitan's own, which no one has to register. */
  readonly known: boolean
  readonly pipelines: boolean
  readonly notes: readonly string[]
}
