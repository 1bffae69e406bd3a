/** What a layer keeps between its forward and backward pass. */
export interface PolicyRow {
  readonly name: string
  /** Arrays of attention and of the MLP or experts that it keeps, by name. */
  readonly attention: readonly string[]
  readonly mlp: readonly string[]
  /** Tensors of the residual stream: the layer's input, or the sum after attention too. */
  readonly stream: number
  /** What the book counts instead, in tensors of width D and F; absent where it does not know the policy. */
  readonly book?: { readonly stream: number; readonly inner: number }
  /** What of it is kept in the host's memory. */
  readonly host?: HostPart
}

/** Which of the kept arrays, and of the stream's tensors the layer's input and the sum after attention. */
export interface HostPart {
  readonly arrays: readonly string[]
  readonly input: boolean
  readonly sum: boolean
}
