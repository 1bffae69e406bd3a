/** Servers of which each does one phase: which of several in a file is meant, and why none does both. */

/** What a worker is told that does one phase for others. `kv_role` is of vLLM alone, where a cache that is kept elsewhere has it too. */
const roles: readonly {
  readonly told: RegExp
  readonly mode: 'prefill' | 'generate'
  readonly sure: boolean
}[] = [
  { told: /--disaggregation-mode[= ]prefill\b/, mode: 'prefill', sure: true },
  { told: /--is-prefill-worker\b/, mode: 'prefill', sure: true },
  { told: /--disaggregation-mode[= ]decode\b/, mode: 'generate', sure: true },
  { told: /--is-decode-worker\b/, mode: 'generate', sure: true },
  { told: /"kv_role"\s*:\s*"kv_producer"/, mode: 'prefill', sure: false },
]

type Words = readonly string[]

function roleOf(words: Words) {
  const text = words.join(' ')
  return roles.find(({ told }) => told.test(text))
}

/** Of servers that share the work those that do the phase; all of them where none is known to, or both phases are asked. */
export function ofPhase(servers: readonly Words[], mode: string | null): readonly Words[] {
  if (mode !== 'prefill' && mode !== 'generate') return servers
  const own = servers.filter((words) => (roleOf(words)?.mode === 'prefill') === (mode === 'prefill'))
  return own.length > 0 ? own : servers
}

/** Why the server that is read does not do both phases; null if it may. Beside workers that read prompts, one that is told nothing generates. */
export function onePhaseOf(words: Words, servers: readonly Words[]): string | null {
  const own = roleOf(words)
  const shared = servers.some((one) => roleOf(one)?.mode === 'prefill' && roleOf(one)?.sure)
  const mode = own?.sure ? own.mode : shared ? 'generate' : null
  if (mode === null) return null
  const how = own?.told.exec(words.join(' '))?.[0] ?? 'it stands beside a server that reads its prompts, and'
  return `${how} is one of two phases: ask for it in mode ${mode}, or of both as a plan of fields`
}
