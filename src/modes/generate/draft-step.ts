/**
 * Time of one step of a draft model, which drafts one token for each sequence of a batch: a step of generation like any
 * other, on the mesh and placement of the model that it drafts for, in its types and layouts. A component that the other has not takes the
 * fastest of its own.
 *
 * A draft is small, so that starts of layers and of the step, and latencies of collectives, take most of its step, and its share of
 * parameters says little. vLLM's own times of Llama 3.1 70B on eight MI300X: drafting a token takes 0.14 of a step with Llama 3.2 1B and 0.22
 * with Llama 3.1 8B (4.5 of 32 ms and 8.0 of 36), whose shares of parameters are 0.018 and 0.11.
 */
import { type InferenceModel, inferenceModel } from '../../inference/model.ts'
import { arrangedSeconds } from '../../inference/pass/arrangement.ts'
import type { InferenceCandidate } from '../../inference/phase.ts'
import { sitesOf } from '../../inference/sites.ts'
import { createWorkbench } from '../../inference/workbench.ts'
import type { Transformer } from '../../model/transformer.ts'
import type { GenerateWorkload } from '../../problem.ts'
import type { Seconds } from '../../units.ts'
import { stepPasses } from './phase.ts'

export function draftStepSeconds(
  { setting }: InferenceModel,
  { mesh, placement, pass, layouts }: Pick<InferenceCandidate, 'mesh' | 'placement' | 'pass' | 'layouts'>,
  workload: Pick<GenerateWorkload, 'contextLength' | 'meanContextLength'>,
  draft: Transformer,
): Seconds {
  // Its memory is not counted, so that it always has room.
  const model = inferenceModel({ ...setting, model: draft, memoryBudget: Number.POSITIVE_INFINITY })
  const bench = createWorkbench(model)
  const passes = stepPasses(model, workload, pass.resident.sequences, mesh)
  const layout = layoutsAlike(model, layouts)
  const sites = sitesOf(model, mesh, { layout, placements: [placement] })
  return Math.min(...sites.flatMap((site) => passes.map((own) => arrangedSeconds(bench, site, own))))
}

/** Names of layouts by component, of those that the model has as well. */
function layoutsAlike({ components }: InferenceModel, layouts: InferenceCandidate['layouts']) {
  const alike = layouts.filter(({ name, component }) =>
    components.some(
      (own) => own.name === component.name && own.layouts.some((layout) => layout.name === name),
    ),
  )
  return Object.fromEntries(alike.map(({ name, component }) => [component.name, name]))
}
