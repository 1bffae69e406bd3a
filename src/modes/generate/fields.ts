/**
 * Fields that only generation plans have: the most sequences that their layouts hold, the batch from which arithmetic
 * takes longer than streaming the weights, and what speculative decoding would gain.
 *
 *   critical batch = R · m · (b_w / 2) · C / W_hbm      tokens in a step; each of R replicas and m groups reads the
 *                                                       weights
 *   with experts   · E/k                                as a token goes to k of E; R counts replicas of the experts
 *
 * Source: "How To Scale Your Model", Inference.
 */
import { meanParameterBytes } from '../../cost/memory/parameter-bytes.ts'
import { only } from '../../inference/layout/compiled-layout.ts'
import { arrangedSeconds } from '../../inference/pass/arrangement.ts'
import { stepPasses } from '../../inference/pass/step-passes.ts'
import type { InferenceCandidate, Site } from '../../inference/phase.ts'
import { draftSteps } from '../../inference/speculation/draft-step.ts'
import { bestSpeculation } from '../../inference/speculation/speculation.ts'
import type { Workbench } from '../../inference/workbench.ts'
import type { SpeculationAccount } from '../../plan/inference-plan.ts'
import type { GenerateWorkload, Speculation } from '../../problem.ts'
import type { PhaseFields } from '../phase-row.ts'
import { largestBatch } from './phase.ts'

export function generateFields(
  bench: Workbench,
  workload: GenerateWorkload,
  candidate: InferenceCandidate,
): PhaseFields {
  const { contextLength, meanContextLength, speculative } = workload
  const { mesh, placement, costs, layouts, pass } = candidate
  const site: Site = { mesh, placement, costs, offered: only(layouts) }
  const { rates, setting } = bench
  const { experts } = setting.model
  const perToken =
    (meanParameterBytes(setting.precision, setting.model) / 2) * (rates.secondsPerByte / rates.secondsPerFlop)
  const account = speculative ? speculationAccount(bench, site, candidate, workload, speculative) : null
  return {
    maxBatchSequences: largestBatch(bench, site, { contextLength, meanContextLength }),
    criticalBatchTokens:
      mesh.data * pass.groups * perToken * (experts ? experts.experts / experts.activeExperts : 1),
    ...(account ? { speculation: account } : {}),
  }
}

/** Null if the drafts that were asked for do not fit beside the caches. */
function speculationAccount(
  bench: Workbench,
  site: Site,
  candidate: InferenceCandidate,
  workload: GenerateWorkload,
  { acceptance, draft, tokens }: Speculation,
): SpeculationAccount | null {
  const { mesh, pass, seconds } = candidate
  const batch = pass.resident.sequences
  const found = bestSpeculation({
    acceptance,
    tokens,
    draftSeconds: draftSteps(bench, site, workload, draft, () => seconds)(batch),
    // Drafts that do not fit beside the caches take infinite time, so that none such is chosen.
    targetSeconds: (positions) =>
      Math.min(
        ...stepPasses(bench, workload, batch, mesh, positions).map((pass) =>
          arrangedSeconds(bench, site, pass),
        ),
      ),
  })
  return Number.isFinite(found.stepSeconds) ? found : null
}
