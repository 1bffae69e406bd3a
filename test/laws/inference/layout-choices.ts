/** Every choice of layouts on a mesh, as a name for each component. */
import { offeredLayouts } from '../../../src/inference/layout/layout-question.ts'
import type { InferenceModel } from '../../../src/inference/model.ts'
import type { Mesh } from '../../../src/sharding/axis.ts'

export function choicesOf(model: InferenceModel, mesh: Mesh): readonly Readonly<Record<string, string>>[] {
  const names = offeredLayouts(model, mesh).map((layouts) => layouts.map(({ name }) => name))
  return names.reduce<readonly Readonly<Record<string, string>>[]>(
    (choices, options, component) =>
      choices.flatMap((choice) =>
        options.map((name) => ({ ...choice, [model.components[component]?.name ?? '']: name })),
      ),
    [{}],
  )
}
