/** The arrangement that takes least memory, whether or not it fits: what an infeasible request comes nearest to. */

import { never, type Stop } from '../../patience.ts'
import { bestLayouts } from '../../search/component-layout/best-layouts.ts'
import type { LayoutQuestion } from '../../search/component-layout/question.ts'
import { accountOf } from '../../search/component-layout/question.ts'
import type { InferenceModel } from '../model.ts'
import { fixedSeconds } from '../pass/arrangement.ts'
import { fixedBytes } from '../pass/pass-numbers.ts'
import type { InferenceCandidate, Phase } from '../phase.ts'
import { type Given, sitesOf } from '../search.ts'
import { layoutQuestion } from './layout-question.ts'
import { setShards } from './local-term.ts'

export function leanestCandidate(
  model: InferenceModel,
  { meshes, leastPass, offers }: Phase,
  given: Given = {},
  stop: Stop = never,
): InferenceCandidate | null {
  let best: InferenceCandidate | null = null
  for (const site of firstSites()) {
    const { mesh } = site
    setShards(model.sizes, mesh)
    const pass = leastPass(mesh)
    const question = layoutQuestion(model, mesh, site.costs, pass, site.offered)
    const chosen = bestLayouts(byBytes(question))?.chosen
    if (!chosen) continue
    const account = accountOf(question, chosen)
    const score = account.bytes + fixedBytes(model, mesh)
    if (best && score >= best.score) continue
    best = {
      ...site,
      cluster: model.setting.cluster,
      pass,
      question,
      answer: { chosen, ...account, proven: false },
      seconds: account.seconds + fixedSeconds(model, mesh, site.costs, pass),
      layouts: chosen.flatMap((option, component) => site.offered[component]?.[option] ?? []),
      score,
    }
  }
  return best

  function* firstSites() {
    for (const mesh of meshes.allowed) {
      if (best && stop()) return
      for (const offered of offers(mesh, given.layout))
        yield* sitesOf(model, mesh, given, [offered]).slice(0, 1)
    }
  }
}

/** The same choice with bytes for seconds, and no budget. */
function byBytes({ components }: LayoutQuestion): LayoutQuestion {
  return {
    components: components.map(({ name, options }) => ({
      name,
      options: options.map((option) => ({ ...option, seconds: option.bytes + option.workspace })),
    })),
    resharding: [],
    budget: Number.POSITIVE_INFINITY,
  }
}
