/**
 * Time of one step of a draft model, which drafts one token for each sequence of a batch: a step of generation like any
 * other, on the mesh and placement of the model that it drafts for, in its types and layouts. A component that the other has not, or for which
 * it has a choice of layouts, takes the fastest of its own.
 *
 * A draft is small, so that starts of layers and of the step, and latencies of collectives, take most of its step, and its share of
 * parameters says little. vLLM's own times of Llama 3.1 70B on eight MI300X: drafting a token takes 0.14 of a step with Llama 3.2 1B and 0.22
 * with Llama 3.1 8B (4.5 of 32 ms and 8.0 of 36), whose shares of parameters are 0.018 and 0.11.
 */
import { known } from '../../known.ts'
import type { Transformer } from '../../model/transformer.ts'
import type { GenerateWorkload, Speculation } from '../../problem.ts'
import type { Seconds } from '../../units.ts'
import { type InferenceModel, inferenceModel } from '../model.ts'
import { arrangedSeconds } from '../pass/arrangement.ts'
import { stepPasses } from '../pass/step-passes.ts'
import type { Site } from '../phase.ts'
import { sitesOf } from '../sites.ts'
import { createWorkbench, type Workbench } from '../workbench.ts'

/** By the number of sequences that it drafts for; `plainSeconds` are those of the model's own step on one new token of each. */
export function draftSteps(
  model: InferenceModel,
  { mesh, placement, offered }: Site,
  workload: Pick<GenerateWorkload, 'contextLength' | 'meanContextLength'>,
  draft: Speculation['draft'],
  plainSeconds: (batch: number) => Seconds,
): (batch: number) => Seconds {
  if ('costRatio' in draft) return (batch) => draft.costRatio * plainSeconds(batch)
  const bench = benchOf(model, draft)
  const sites = sitesOf(bench, mesh, { layout: layoutsAlike(bench, offered), placements: [placement] })
  return (batch) => {
    const passes = stepPasses(bench, workload, batch, mesh)
    return Math.min(...sites.flatMap((site) => passes.map((own) => arrangedSeconds(bench, site, own))))
  }
}

/** Compiled once for all meshes of the model. */
function benchOf(model: InferenceModel, draft: Transformer): Workbench {
  return known(
    known(benches, model, () => new WeakMap<Transformer, Workbench>()),
    draft,
    // Its memory is not counted, so that it always has room.
    () =>
      createWorkbench(
        inferenceModel({ ...model.setting, model: draft, memoryBudget: Number.POSITIVE_INFINITY }),
      ),
  )
}

const benches = new WeakMap<InferenceModel, WeakMap<Transformer, Workbench>>()

/** Names of layouts by component, of those that are settled and that the draft has as well. */
function layoutsAlike({ components }: InferenceModel, offered: Site['offered']) {
  const settled = offered.flatMap(([layout, ...others]) => (layout && others.length === 0 ? [layout] : []))
  const alike = settled.filter(({ name, component }) =>
    components.some(
      (own) => own.name === component.name && own.layouts.some((layout) => layout.name === name),
    ),
  )
  return Object.fromEntries(alike.map(({ name, component }) => [component.name, name]))
}
