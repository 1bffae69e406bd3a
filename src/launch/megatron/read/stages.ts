/** What a command says of the stages of its pipeline. */
export interface Stages {
  readonly virtualStages: number
  /** Layers of each stage; null if the options do not give the number of layers. */
  readonly stageLayers: readonly number[] | null
  readonly notes: readonly string[]
  readonly faults: readonly string[]
}
