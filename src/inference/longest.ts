/**
 * The longest sequence that a server has room for alone, beside its weights and what a pass works with. vLLM does not start where that is shorter
 * than it is told (launch/vllm/rules.ts).
 */
import { replicasOf } from '../sharding/axis.ts'
import { mostThat } from '../threshold.ts'
import type { Bytes } from '../units.ts'
import { only } from './layout/compiled-layout.ts'
import { keptOf } from './pass/pass.ts'
import { passBudget } from './pass/pass-budget.ts'
import { settled } from './pass/settled.ts'
import type { InferenceCandidate } from './phase.ts'
import type { Workbench } from './workbench.ts'

type Laid = Pick<InferenceCandidate, 'mesh' | 'costs' | 'layouts' | 'pass'>

/** Most positions up to `most`, 0 if there is none. `beyond` is memory that is not asked for. */
export function longestAlone(bench: Workbench, candidate: Laid, most: number, beyond: Bytes = 0): number {
  const fits = roomAlone(bench, candidate, beyond)
  return fits(most) ? most : mostThat(most, fits)
}

/** Whether a sequence of so many positions has room, one in each group of chips that caches its own. */
export function roomAlone(
  bench: Workbench,
  { mesh, costs, layouts, pass }: Laid,
  beyond: Bytes = 0,
): (positions: number) => boolean {
  const { memory } = settled(bench, { mesh, costs, offered: only(layouts) })
  const budget = passBudget(bench, mesh, pass) - beyond
  const sequences = replicasOf(mesh)
  return (positions) => {
    const resident = { sequences, ...keptOf(bench.setting.model, positions) }
    const { bytes, workspace } = memory({ ...pass, resident, longest: null })
    return bytes + workspace <= budget
  }
}
