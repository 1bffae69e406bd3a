/**
 * Fields that only generation plans have: the most sequences that their layouts hold, the batch from which arithmetic
 * takes longer than streaming the weights, and what speculative decoding would gain.
 *
 *   critical batch = R · m · (b_w / 2) · C / W_hbm      tokens in a step; each of R replicas and m groups reads the
 *                                                       weights
 *   with experts   · E/k                                as a token goes to k of E; R counts replicas of the experts
 *   without        · (bytes that the chips of a stage store) / (bytes of its weights)   what layouts copy, each copy reads
 *
 * Source: "How To Scale Your Model", Inference.
 */
import { meanParameterBytes } from '../../cost/memory/parameter-bytes.ts'
import { only } from '../../inference/layout/compiled-layout.ts'
import { setShards } from '../../inference/layout/local-sizes.ts'
import { sumOf } from '../../inference/layout/local-term.ts'
import { arrangedSeconds } from '../../inference/pass/arrangement.ts'
import { stagesOf } from '../../inference/pass/stage-layers.ts'
import { stepPasses } from '../../inference/pass/step-passes.ts'
import type { InferenceCandidate, Site } from '../../inference/phase.ts'
import { draftSteps } from '../../inference/speculation/draft-step.ts'
import { bestSpeculation } from '../../inference/speculation/speculation.ts'
import type { Workbench } from '../../inference/workbench.ts'
import type { SpeculationAccount } from '../../plan/inference-plan.ts'
import type { GenerateWorkload, Speculation } from '../../problem.ts'
import { type Axis, axes, type Mesh, unitMesh } from '../../sharding/axis.ts'
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
      mesh.data *
      pass.groups *
      perToken *
      (experts ? experts.experts / experts.activeExperts : copiesOf(bench, candidate)),
    ...(account ? { speculation: account } : {}),
  }
}

/** How many times the chips of a replica store the weights of its layers, in the mean of their bytes. */
function copiesOf(bench: Workbench, { mesh, layouts }: InferenceCandidate): number {
  const [held = []] = stagesOf(bench, 1)
  const storedOn = (own: Mesh) => {
    setShards(bench.sizes, own)
    return layouts.reduce((sum, { stored }, at) => sum + (held[at] ?? 0) * sumOf(stored, bench.sizes), 0)
  }
  const chips = axes.reduce((product, axis) => product * (isReplicas.has(axis) ? 1 : mesh[axis]), 1)
  return (chips * storedOn(mesh)) / storedOn(unitMesh)
}

/** Axes that have the weights of a stage once for each part. */
const isReplicas: ReadonlySet<Axis> = new Set(['data', 'pipeline'])

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
