/** What a prompt costs that finds nothing cached: lengths of prefixes are means, and the first request of every conversation finds none. */
import { only } from '../../inference/layout/compiled-layout.ts'
import { prefillPass } from '../../inference/pass/pass.ts'
import { settled } from '../../inference/pass/settled.ts'
import type { PrefillInstance } from '../../modes/serve/instance.ts'
import { mostTokens } from '../../modes/serve/readers.ts'
import type { Requests } from '../../modes/serve/requests.ts'
import type { Seconds } from '../../units.ts'
import { secondsText } from '../explain/figures.ts'

export function missSentence(prefill: PrefillInstance, requests: Requests): string | null {
  const { promptLength, cachedPrefixLength } = requests
  if (cachedPrefixLength === 0) return null
  const [miss, hit] = [promptLength, promptLength - cachedPrefixLength]
  return `A prompt that finds nothing cached, as the first of a conversation, has ${miss} tokens to read in place of ${hit}: ${secondsText(missSeconds(prefill, promptLength))} in place of ${secondsText(prefill.seconds)}, which no rate and no wait counts.`
}

/** One prompt for each reader, in the steps that servers take. */
function missSeconds({ size, candidate, prompts }: PrefillInstance, promptLength: number): Seconds {
  const { bench } = size
  const { mesh, costs, layouts, pass } = candidate
  const workload = { promptLength, cachedPrefixLength: 0, batchSequences: prompts, chunkTokens: mostTokens }
  const { groups } = pass.halves === 2 ? { groups: 1 } : pass
  const whole = prefillPass(bench.setting.model, { mode: 'prefill', ...workload }, groups, mesh.pipeline)
  return settled(bench, { mesh, costs, offered: only(layouts) }).fittingSeconds(whole)
}
