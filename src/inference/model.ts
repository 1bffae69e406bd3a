/**
 * An inference problem with everything put in but mesh, batch and layouts: derived and compiled once per request.
 *
 * A layer is attention and MLP or experts, or one block where they run in parallel; the unembedding follows the last layer.
 * Between two components the residual stream goes from the sharding of one to that of the next.
 */
import type { Assumptions } from '../assumptions/assumptions.ts'
import { type NetworkPrices, networkPrices } from '../cost/communication/network.ts'
import { arrayType } from '../cost/compile/array-type.ts'
import { type ComputeRates, computeRates } from '../cost/compute/compute.ts'
import { resourceCount } from '../hardware/network/collective.ts'
import { known } from '../known.ts'
import { streamsOf } from '../model/residual-streams.ts'
import type { PhaseMode } from '../modes/names.ts'
import type { Setting } from '../problem.ts'
import { lasting, type Recent, recent, recentHalves, valueKey } from '../recent.ts'
import { elementBytes } from '../recipe/element-type.ts'
import type { ShardedArray } from '../sharding/array.ts'
import { type AxisSet, axisBit } from '../sharding/axis.ts'
import { arrayOfRole, arraysOf } from '../sharding/component.ts'
import { componentRow } from '../sharding/component-rows.ts'
import { reshard } from '../sharding/move.ts'
import {
  type InferenceLayout,
  inferenceEmbedding,
  type LayerComponent,
  layerLayouts,
  unembeddingLayouts,
} from '../sharding/tables/inference-layout.ts'
import { layoutFields } from '../sharding/tables/inference-layout-fields.ts'
import {
  type ProjectionLayout,
  plainProjection,
  projectionLayouts,
} from '../sharding/tables/inference-sharding.ts'
import { compiledCall, compileLayout } from './layout/compile-layout.ts'
import type { CompiledCollective, CompiledLayout, Offered } from './layout/compiled-layout.ts'
import { type LocalTerm, localTerm } from './layout/local-term.ts'
import type { Servable } from './layout/served.ts'
import { numbered, type Sums, shared, withNumber } from './layout/shared-parts.ts'
import type { KnownShapes } from './pass/pass-amounts.ts'
import { phaseAssumptions } from './phase-assumptions.ts'
import { inferenceTerms } from './time/network-terms.ts'

export interface InferenceComponent {
  readonly name: string
  readonly layouts: readonly CompiledLayout[]
  /** Number of layers that have it; 1 for the unembedding. */
  readonly layers: number
}

/** Keyed by the notation of the sharding before, then by that after. */
type StreamMoves = ReadonlyMap<string, ReadonlyMap<string, readonly CompiledCollective[]>>

export interface InferenceModel {
  readonly setting: Setting
  /** The setting's assumptions, as they hold in each phase. */
  readonly assumed: Readonly<Record<PhaseMode, Assumptions>>
  /** Components of a layer, in order, then the unembedding. A layer has only one of those between the first and the unembedding. */
  readonly components: readonly InferenceComponent[]
  /** The embedding beside attention weights in each layout. */
  readonly embeddings: Readonly<Record<ProjectionLayout, CompiledLayout>>
  readonly rates: ComputeRates
  readonly prices: NetworkPrices
  /** Sets of axes over which something moves, whose prices are computed. */
  readonly sets: readonly AxisSet[]
  readonly resources: number
  /** The collectives that take the stream from one sharding to another. */
  readonly moves: StreamMoves
  /** What a pipeline stage sends to the next: bytes of one chip. */
  readonly boundary: LocalTerm
  /** How many sums of terms have numbers (layout/local-term.ts). */
  readonly sums: number
  /** What shapes take on chips of this kind (pass/shape-numbers.ts). */
  readonly shapes: KnownShapes
  /** Layouts that frameworks serve, by what decides that (layout/servable.ts). */
  readonly offers: Recent<readonly Offered[]>
  /** The layouts that a framework serves, where plans have to be such; null where they need not. */
  readonly servable: Servable | null
}

export function inferenceModel(setting: Setting, servable: Servable | null = null): InferenceModel {
  const { cluster } = setting
  const { foundOn, ...compiled } = compiledModel(setting)
  return {
    ...compiled,
    ...ratesOf(setting),
    prices: networkPrices(cluster.network, compiled.sets, inferenceTerms(setting.assumptions)),
    ...foundOn(setting),
    servable,
  }
}

/** What depends on the chips as well (pass/shape-numbers.ts, layout/servable.ts). */
type Found = Pick<InferenceModel, 'shapes' | 'offers'>

/** What depends only on the model, its element types and the assumptions, and is kept while other things are varied. */
interface Compiled
  extends Pick<InferenceModel, 'components' | 'embeddings' | 'sets' | 'moves' | 'boundary' | 'sums'> {
  /** What was found on chips of a kind: it hangs on no batch, budget, limit or number of chips, which are what a slider or a sweep changes. */
  readonly foundOn: (setting: Setting) => Found
}

function compiledModel(setting: Setting): Compiled {
  const { model, precision, assumptions } = setting
  const key = valueKey([model, precision, assumptions])
  return known(compiledModels, key, () => compile(setting))
}

/** Room for the types that suggestions try, and the request's own. */
const compiledModels = lasting<Compiled>(4)

/** For how many kinds of chips this is kept, and how much of it for each: some 1 kB a shape. */
const [chipsKept, offersKept, shapesKept] = [4, 10_000, 5_000]

function nothingFound(): Found {
  return { shapes: new Map(), offers: recentHalves(offersKept) }
}

function shapesOf({ shapes }: Found): number {
  let count = 0
  for (const own of shapes.values()) for (const alike of own.values()) count += alike.size
  return count
}

function compile({ model, precision, assumptions }: Setting): Compiled {
  const compiled = (layout: InferenceLayout) => compileLayout(layout, precision, assumptions, model)
  const sums: Sums = new Map()
  const component = ({ layouts, layers }: LayerComponent): InferenceComponent => ({
    name: layouts[0]?.component.name ?? '',
    layouts: shared(layouts.map(compiled), sums),
    layers,
  })
  const head = { layers: 1, layouts: unembeddingLayouts() }
  const components = [...layerLayouts(model), head].map(component)
  const embeddings = Object.fromEntries(
    projectionLayouts.map((projection) => {
      const rows = { ...layoutFields(projection), name: 'rows', component: inferenceEmbedding(projection) }
      return [projection, numbered(compiled(rows), sums)]
    }),
  ) as Readonly<Record<ProjectionLayout, CompiledLayout>>
  const layouts = [...Object.values(embeddings), ...components.flatMap(({ layouts }) => layouts)]
  const stream = elementBytes[arrayType('activation', precision)]
  const moves = streamMoves(layouts, (from, to) =>
    reshard(from, to, { pass: 'forward', every: 'microbatch' }).map((move) =>
      withNumber(
        compiledCall([move], ({ dimensions }) => localTerm(streamsOf(model) * stream, dimensions)),
        sums,
      ),
    ),
  )
  const sets = new Set<AxisSet>([
    ...layouts.flatMap(({ collectives }) => collectives.map(({ over }) => over)),
    ...[...moves.values()].flatMap((targets) => [...targets.values()].flat().map(({ over }) => over)),
    axisBit.pipeline,
  ])
  const found = recent<Found>(chipsKept)
  return {
    components,
    embeddings,
    sets: [...sets],
    moves,
    boundary: localTerm(
      streamsOf(model) * stream,
      arrayOfRole(embeddings[plainProjection].component, 'output').dimensions,
    ),
    sums: sums.size,
    foundOn: ({ cluster, checkpoints }) => {
      const own = known(found, valueKey([cluster.chip, checkpoints]), nothingFound)
      if (shapesOf(own) > shapesKept) own.shapes.clear()
      return own
    },
  }
}

/** The same model under another setting, which may differ in chips, their number, bandwidths or overheads: what was derived is kept. */
export function inferenceOn(
  model: InferenceModel,
  setting: Setting,
  servable: InferenceModel['servable'] = model.servable,
): InferenceModel {
  const { cluster, assumptions, checkpoints } = setting
  const prices = networkPrices(cluster.network, model.sets, inferenceTerms(assumptions))
  const before = model.setting
  const alike = before.assumptions === assumptions && before.precision === setting.precision
  const kept = alike && before.cluster.chip === cluster.chip && before.checkpoints === checkpoints
  const { shapes, offers } = kept ? model : nothingFound()
  return { ...model, ...ratesOf(setting), prices, shapes, offers, servable }
}

function ratesOf(setting: Setting): Pick<InferenceModel, 'setting' | 'assumed' | 'rates' | 'resources'> {
  const { cluster, precision, assumptions } = setting
  return {
    setting,
    assumed: phaseAssumptions(assumptions),
    rates: computeRates(cluster.chip, precision.compute, assumptions),
    resources: resourceCount(cluster.network),
  }
}

/** The embedding beside attention in a layout. */
export function embeddingBeside(
  { embeddings }: InferenceModel,
  attention: Pick<CompiledLayout, 'projection'> | undefined,
): CompiledLayout {
  return embeddings[attention?.projection ?? plainProjection]
}

/** The index of the component that has experts; -1 where none has. */
export function expertsAt({ components }: InferenceModel): number {
  return components.findIndex((component) => componentRow(component).layers === 'sparse')
}

/** The moves between the streams of two layouts; none where they shard it alike. */
export function movesBetween(
  { moves }: InferenceModel,
  { out }: CompiledLayout,
  { into }: CompiledLayout,
): readonly CompiledCollective[] {
  return moves.get(out)?.get(into) ?? none
}

const none: readonly CompiledCollective[] = []

function streamMoves(
  layouts: readonly CompiledLayout[],
  move: (from: ShardedArray, to: ShardedArray) => readonly CompiledCollective[],
): StreamMoves {
  const moves = new Map<string, Map<string, readonly CompiledCollective[]>>()
  for (const from of layouts) {
    const [out] = arraysOf(from.component, 'output')
    if (!out || moves.has(from.out)) continue
    const targets = new Map<string, readonly CompiledCollective[]>()
    moves.set(from.out, targets)
    for (const to of layouts) {
      const [into] = arraysOf(to.component, 'input')
      if (into && !targets.has(to.into)) targets.set(to.into, move(out, into))
    }
  }
  return moves
}
