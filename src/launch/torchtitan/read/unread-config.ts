/**
 * A config of torchtitan's main that is not known here: what it sets is in its Python, so that nothing is taken for it. The command has to
 * say what a step runs; what no option says (types of its matmuls, the optimizer) stays open, and with it whether the step fits. Source: as
 * registry.ts.
 */
import { compact } from '../../../compact.ts'
import type { LaunchReading, Misnamed } from '../../read/reading.ts'
import { configsOf, moduleNamed } from '../registry.ts'
import { torchtitanMain } from '../version.ts'
import type { Given } from './dotted.ts'
import { checkpointWord } from './of-main.ts'

/** What configs of the registry set that an option sets as well. */
const needed = [
  ...['max_context_length', 'num_tokens_per_microbatch_per_dp_rank'].map((key) => `training.${key}`),
  ...['tensor', 'pipeline', 'expert'].map((axis) => `parallelism.${axis}_parallel_degree`),
]

type Unread = Required<Pick<LaunchReading, 'faults' | 'notes' | 'doubts' | 'unheld' | 'unregistered'>>

export function unreadConfig(given: Given, words: readonly string[]): Unread {
  const [module, config] = [said(given, 'module'), said(given, 'config')]
  const name = `the config ${config ?? 'without a name (--config)'} of ${module ?? 'no module (--module)'}`
  const missing = compact(
    needed.filter((option) => !given.has(option)).map((option) => `--${option}`),
    checkpointWord(words) === null && 'activation-checkpoint:full (or selective, or none)',
  )
  const open = `what ${name} sets is not known here, as ${why(module, config)}: `
  const note = `${open}the types of its matmuls are taken for bf16 and its optimizer for AdamW, and whether it fits is not said`
  const fault = `${open}say what it has as ${missing.join(', ')}`
  const known = missing.length === 0
  return {
    faults: known ? [] : [fault],
    ...(known ? { notes: [note], doubts: [note], unheld: [note] } : { notes: [], doubts: [], unheld: [] }),
    unregistered: unregistered(module, config),
  }
}

function why(module: string | null, config: string | null): string {
  const among = configsOf.get(moduleNamed(module ?? ''))
  if (!among) return `torchtitan ${torchtitanMain} has no such module among its models`
  if (config !== null && among.includes(config)) return 'its model is not one that is read'
  const [elsewhere] = [...configsOf].find(([, configs]) => configs.includes(config ?? '')) ?? []
  return elsewhere === undefined
    ? `torchtitan ${torchtitanMain} has none of that name there`
    : `it is one of ${elsewhere}`
}

/** A config that its module does not have in the commit that is read, and that a younger one, or somebody's own, may have. */
function unregistered(module: string | null, config: string | null): readonly Misnamed[] {
  const among = configsOf.get(moduleNamed(module ?? ''))
  return !among || config === null || among.includes(config)
    ? []
    : [{ option: '--config', value: config, among }]
}

function said(given: Given, name: string): string | null {
  const value = given.get(name)
  return typeof value === 'string' ? value.slice(0, 100) : null
}
