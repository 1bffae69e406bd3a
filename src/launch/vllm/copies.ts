/**
 * Copies of experts that vLLM is told to keep: in the config of its balancer, by a key of that behind a point, or by the name that the option
 * had before. Whether it keeps them is said by other options (server/redundant-copies.ts).
 */
import type { Options } from '../read/options.ts'

const byKey = ['--eplb-config.num-redundant-experts', '--num-redundant-experts']
const inConfig = /"num_redundant_experts"\s*:\s*(\d{1,6})/

export function copiesIn(options: Options, config: string | null): number | null {
  const found = inConfig.exec(config ?? '')
  return options.number(...byKey) ?? (found ? Number(found[1]) : null)
}

/** How the config says the number that a plan has. */
export function copiesText(copies: number): string {
  return JSON.stringify({ num_redundant_experts: copies })
}
