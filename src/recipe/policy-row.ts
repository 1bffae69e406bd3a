/** The columns of the table of rematerialisation policies: what a layer keeps between its forward and backward pass. */
export interface PolicyRow {
  readonly name: string
  /** Names of the arrays of attention, and of the MLP or experts, that a layer keeps. */
  readonly attention: readonly string[]
  readonly mlp: readonly string[]
  /** What layers with experts keep of them, where it is not what `mlp` says. */
  readonly experts?: readonly string[]
  /** Number of residual-stream tensors that it keeps: 1 for the layer's input, 2 with the sum after attention. */
  readonly stream: number
  /** What the book counts instead, in tensors of width D and F; absent where it does not know the policy. */
  readonly book?: { readonly stream: number; readonly inner: number }
  /** Which of them are kept in the host's memory; absent when none is. */
  readonly host?: HostPart
  /** The models that it is for; absent where it is for all. */
  readonly models?: ModelKind
  /** Whether it is for plans that somebody wrote, and in no list of what a search tries. */
  readonly written?: true
  /** Blocks of a layer whose whole forward pass software runs again, with results that nothing reads (`asRun` in policy.ts). */
  readonly whole?: readonly Block[]
}

/** With latent attention, whose queries and keys are projected up from low ranks; with layers of experts; with none of these. */
export type ModelKind = 'latent' | 'experts' | 'dense'

export type Block = 'attention' | 'mlp' | 'experts'

/** Which of the kept arrays are on the host, and of the stream's tensors whether the layer's input and the sum after attention are. */
export interface HostPart {
  readonly arrays: readonly string[]
  readonly input: boolean
  readonly sum: boolean
}
