/** The arrangement that takes the least memory, whether or not it fits: what comes nearest to an infeasible request. */
import { reserveBytes } from '../../cost/memory/budget.ts'
import { never, type Stop } from '../../patience.ts'
import { longestAccount } from '../../search/component-layout/longest.ts'
import type { LayoutQuestion } from '../../search/component-layout/question.ts'
import { fixedSeconds } from '../pass/arrangement.ts'
import { leanest } from '../pass/leanest-choice.ts'
import type { StageBytes } from '../pass/pass-amounts.ts'
import type { InferenceCandidate, Phase } from '../phase.ts'
import { type Given, sitesOf } from '../sites.ts'
import { chosenOf } from './compiled-layout.ts'
import { layoutQuestions } from './layout-question.ts'
import { setShards } from './local-sizes.ts'

export function leanestCandidate(
  { bench, meshes, leastPass, offers }: Phase,
  given: Given,
  stop: Stop = never,
): InferenceCandidate | null {
  let best: InferenceCandidate | null = null
  for (const site of firstSites()) {
    const { mesh } = site
    setShards(bench.sizes, mesh)
    const pass = leastPass(mesh)
    const questions = layoutQuestions(bench, site, pass)
    const { bytes, chosen } = leanest(questions.map(bytesAlone))
    if (!Number.isFinite(bytes)) continue
    const account = longestAccount(questions, chosen)
    const score = account.bytes + reserveBytes(bench.setting)
    if (best && score >= best.score) continue
    best = {
      ...site,
      cluster: bench.setting.cluster,
      pass,
      questions: () => layoutQuestions(bench, site, pass),
      answer: { chosen, ...account, proven: false },
      seconds: account.seconds + fixedSeconds(bench, site, pass, account.seconds),
      layouts: chosenOf(site.offered, chosen),
      score,
    }
  }
  return best

  function* firstSites() {
    for (const mesh of meshes.allowed) {
      if (best && stop()) return
      for (const offered of offers(mesh, given.layout))
        yield* sitesOf(bench, mesh, given, [offered]).slice(0, 1)
    }
  }
}

function bytesAlone({ components }: LayoutQuestion): StageBytes {
  return components.map(({ options }) => options)
}
