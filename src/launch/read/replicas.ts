/** Ranks with sequences of their own, as axes of a mesh: under ZeRO-3 `shards` of each of the `copies` share out the weights, else all have whole ones. */
export function replicaAxes(
  zeroStage: number,
  shards: number,
  copies: number,
): Readonly<Record<string, number>> {
  return zeroStage === 3 ? { fsdp: shards, data: copies } : { data: shards * copies }
}
