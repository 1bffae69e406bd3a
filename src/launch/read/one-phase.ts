/** Servers of which each does one phase: which of several in a file is meant, and why none does both. */

/**
 * What a server is told that does one phase for others. `kv_role` is vLLM's (config/kv_transfer.py): who produces caches reads prompts, and who consumes
 * them generates (docs/features/mooncake_connector_usage.md, disagg_prefill.md); `kv_both` may be either, or a server whose caches are kept elsewhere.
 */
const roles: readonly { readonly told: RegExp; readonly mode: 'prefill' | 'generate' }[] = [
  { told: /--disaggregation-mode[= ]prefill\b/, mode: 'prefill' },
  { told: /--is-prefill-worker\b/, mode: 'prefill' },
  { told: /--disaggregation-mode[= ]decode\b/, mode: 'generate' },
  { told: /--is-decode-worker\b/, mode: 'generate' },
  { told: /\bkv_role["'\s:=]{1,8}kv_producer\b/, mode: 'prefill' },
  { told: /\bkv_role["'\s:=]{1,8}kv_consumer\b/, mode: 'generate' },
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
  const shared = servers.some((one) => roleOf(one)?.mode === 'prefill')
  const mode = own?.mode ?? (shared ? 'generate' : null)
  if (mode === null) return null
  const told = own?.told.exec(words.join(' '))?.[0].replaceAll(/["'\s:=]+/g, ' ')
  const how = told ?? 'it stands beside a server that reads its prompts, and'
  const other = mode === 'prefill' ? 'generate' : 'prefill'
  return `${how} is one of two phases: ask for it in mode ${mode}, and for the other in mode ${other}, each with the chips of its own servers (--mode ${mode} --chips N, then --mode ${other} --chips N), or of both as a plan of fields`
}
