/**
 * The layouts that a mesh has and that can be served together. For a framework these are not every combination of what each
 * component may have, so a mesh may have several offers, each with all of its combinations. What a framework runs depends on the
 * layouts, on the mesh and, of some in prefill, on the number of prompts. None of them moves the stream between components.
 * A replica is asked about once for all numbers of replicas and, on the same hosts, of chips.
 */
import { known } from '../../known.ts'
import type { PhaseMode } from '../../modes/names.ts'
import { type Mesh, meshKey } from '../../sharding/axis.ts'
import type { InferenceModel } from '../model.ts'
import { mayHalve } from '../time/halves.ts'
import { type CompiledLayout, type Offered, offeredText, only } from './compiled-layout.ts'
import { type LayoutsWanted, offeredLayouts } from './layout-question.ts'
import { onePass, type Servable } from './served.ts'

/** One offer with all that a mesh has, where no framework has to serve it. */
export function offersOf(
  model: InferenceModel,
  mesh: Mesh,
  mode: PhaseMode,
  sequences: number,
  wanted?: LayoutsWanted,
): readonly Offered[] {
  const { servable, setting, offers } = model
  const all = () => offeredLayouts(model, mesh, wanted)
  if (!servable) return [all()]
  // Replicas are servers of their own.
  const replica = { ...mesh, data: 1 }
  const own = servable.toldApart(Math.ceil(sequences / mesh.data))
  const served = () => servedOffers(model, servable, all(), { mesh: replica, mode, sequences: own })
  if (wanted) return served()
  const key = `${servable.host(setting.cluster)} ${mode} ${own} ${meshKey(replica)} ${mesh.data > 1}`
  return known(offers, key, served)
}

interface Asked {
  readonly mode: PhaseMode
  readonly mesh: Mesh
  readonly sequences: number
}

function servedOffers(
  { setting }: InferenceModel,
  servable: Servable,
  all: Offered,
  { mesh, mode, sequences }: Asked,
): readonly Offered[] {
  const halved = mayHalve(setting.assumptions, mesh)
  const pass = onePass(sequences, halved, Math.ceil(setting.model.layers / mesh.pipeline))
  const [attention = [], ...others] = all.map((options) => options.filter(servable.layout))
  const beside = new Map<string, Offered>()
  const alike = new Map<string, { attention: CompiledLayout[]; readonly rests: Offered }>()
  for (const layout of attention) {
    const { out } = layout
    const rests = known(beside, out, () =>
      combinations(others.map((options) => options.filter(({ into }) => into === out))),
    )
    const taken = rests.filter((rest) =>
      servable.runs(setting, { mode, mesh, layouts: [layout, ...rest], pass }),
    )
    if (taken.length === 0) continue
    known(alike, offeredText(taken), () => ({ attention: [], rests: taken })).attention.push(layout)
  }
  return [...alike.values()].flatMap((group) =>
    asProducts(group.rests).map((rest) => [group.attention, ...rest]),
  )
}

function combinations(options: Offered): Offered {
  return options.reduce<Offered>(
    (found, own) => found.flatMap((before) => own.map((option) => [...before, option])),
    [[]],
  )
}

/** Writes a set of combinations as products of what each component may have: as one product if it is all of that, else each alone. */
function asProducts(combined: Offered): readonly Offered[] {
  const own = (combined[0] ?? []).map((_, at) => [...new Set(combined.flatMap((each) => each[at] ?? []))])
  const size = own.reduce((product, { length }) => product * length, 1)
  return size === combined.length ? [own] : combined.map(only)
}
