/** Copies of experts that a server keeps to balance its load, as vLLM and SGLang are told of them. */
import type { LaunchReading } from '../read/reading.ts'

/** A number of copies, where the server balances experts that its chips share out; nothing otherwise, as none are kept then. */
export function copiesSaid(
  count: number | null,
  { balances, spreads }: { readonly balances: boolean; readonly spreads: boolean },
): LaunchReading['assumptions'] {
  return balances && spreads && count !== null ? { redundantExperts: count } : {}
}
