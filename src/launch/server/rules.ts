/**
 * What no serving framework can run. They split the inner dimension of weights over one tensor axis (1D weight-stationary),
 * in whole heads; key-value heads are whole on a chip, or a head is on several. Source: as each framework's own file.
 */
import { type Check, faults } from '../launch.ts'
import { attentionCopyChecks } from './attention-copies.ts'
import { type Formats, formatChecks } from './formats.ts'
import type { Serving } from './serving.ts'

export function servingFaults(
  serving: Serving,
  framework: string,
  formats: Formats,
  own: readonly Check[],
): readonly string[] {
  return faults([
    ...layoutChecks(serving, framework),
    ...evenChecks(serving),
    ...attentionCopyChecks(serving, framework),
    ...formatChecks(serving, framework, formats),
    ...own,
  ])
}

function layoutChecks(
  { layouts, mesh, memory, experts, gpu, tensors }: Serving,
  framework: string,
): readonly Check[] {
  return [
    [memory.total > memory.budget * (1 + 1e-12), 'the plan does not fit into its memory budget'],
    [
      !gpu && experts !== null && experts !== 'sliced',
      `experts on chips of their own are not mapped to flags of ${framework}`,
    ],
    [
      mesh.expert > 1 && mesh.expert < tensors,
      `${framework} has experts whole on the chips that share them out; the plan slices each over ${tensors / mesh.expert}`,
    ],
    ...layouts.map(
      ([component, layout]): Check => [
        layout.split('/')[0] !== '1d',
        `${framework} lays weights out one way, as 1d does; the plan has ${component} in ${layout}`,
      ],
    ),
  ]
}

function evenChecks({ model, tensors, attentionGroups, experts: places, mesh }: Serving): readonly Check[] {
  const { heads, kvHeads, dFf, experts, attention } = model
  const whole = places !== null && places !== 'sliced'
  const headChips = tensors / attentionGroups
  const copied = attention.latent !== null || headChips % kvHeads === 0
  const widths = [
    ...(experts && !whole ? [experts.dFfExpert] : []),
    ...(mesh.expert > 1 || (experts && experts.denseLayers === 0 && experts.every === 1) ? [] : [dFf]),
  ]
  return [
    [heads % headChips !== 0, `${headChips} chips do not divide ${heads} heads`],
    [
      kvHeads % headChips !== 0 && !copied,
      `${kvHeads} key-value heads can neither be shared by ${headChips} chips nor be copied evenly`,
    ],
    ...widths.map((width): Check => [width % tensors !== 0, `${tensors} chips do not divide F = ${width}`]),
  ]
}
