/**
 * A mixture of experts under inference layouts: k choices A of E experts per token, of width G (dFfExpert), beside shared
 * experts of width U. The matmuls are sharded as an MLP's (1d, 2d, gathered, gathered-all), and the experts are
 *
 *   sliced       each over all tensor chips: every chip has a slice of every expert, and makes the copies of a token itself
 *   spread       whole, over the tensor chips (1d alone): a chip runs the choices whose experts it has
 *   dispatched   over the expert axis, and each sliced over tensor: a token goes once to each chip that has one of its
 *                experts (J of them), is copied there for each choice, and the results come back summed per chip
 *
 * Where the stream rests by sequences (1d-sequences, copied, copied-all), tokens are gathered for routed experts, which are sliced or
 * spread over all tensor chips in each of them, and their sums are scattered back; shared experts are as the layout says.
 *
 * Where tokens stay, the sum over a token's choices and the sum over slices or chips are one, so that a layer gathers and
 * scatters the stream once, as for a dense MLP. All that is not an expert treats the expert axis like data. Sources:
 * DeepSeek-V3 (arXiv 2412.19437), sections 3.2 and 3.4; vLLM, "expert parallel deployment", for experts over tensor chips.
 */
import type { Transformer } from '../../model/transformer.ts'
import { type ShardedArray, table, weights } from '../array.ts'
import type { Component, Einsum } from '../component.ts'
import { inLatent, narrowing, sharedArrays, widening } from './expert-layout.ts'
import type { ExpertPlaces } from './inference-layout-fields.ts'
import { type ProjectionLayout, plainProjection, projections, projectionUse } from './inference-sharding.ts'
import { mlpEinsums } from './mlp-einsums.ts'

export function inferenceExperts(
  { gatedMlp, experts: mixture }: Pick<Transformer, 'gatedMlp' | 'experts'>,
  layout: ProjectionLayout,
  places: ExpertPlaces,
): Component {
  const shared = (mixture?.sharedExperts ?? 0) > 0
  const { rest, stream } = projections[layout]
  const latent = mixture?.latentWidth !== undefined
  const routedAs = projectionUse(layout).wholeColumns ? plainProjection : layout
  const { tokens } = projections[routedAs]
  const asked = { gated: gatedMlp, latent }
  const tables: Readonly<Record<ExpertPlaces, () => Routed>> = {
    sliced: () => sliced(routedAs, asked),
    spread: () => spread(asked),
    dispatched: () => dispatched(layout, asked),
  }
  const routed = tables[places]()
  return {
    name: 'experts',
    arrays: {
      ...table('activation', { In: `${rest} ${stream}`, Out: `${rest} ${stream}` }),
      ...table('scores', { Choice: `${tokens} A` }),
      ...routed.arrays,
      ...(shared ? sharedArrays(projections[layout], gatedMlp) : {}),
    },
    einsums: [...routed.einsums, ...(shared ? mlpEinsums(gatedMlp, { prefix: 'Shared' }) : [])],
  }
}

type Routed = Pick<Component, 'arrays' | 'einsums'>

interface Kind {
  readonly gated: boolean
  /** Whether experts have a width of their own. */
  readonly latent: boolean
}

/** Arrays on the way to experts and back, and what they are copied of and summed into. */
interface Ways {
  readonly width: (notation: string) => string
  readonly from: string
  readonly to: string
  readonly arrays: Record<string, ShardedArray>
  readonly before: readonly Einsum[]
  readonly after: readonly Einsum[]
}

/** Every chip has the projections, as all servers do, and makes what it is given of them: a partial sum stays one on its way back up. */
function waysOf({ latent }: Kind, tokens: string, d: string, weightD: string): Ways {
  if (!latent) return { width: (own) => own, from: 'In', to: 'Out', arrays: {}, before: [], after: [] }
  const [narrow, rank] = [`${tokens} ${inLatent(d)}`, inLatent(weightD)]
  return {
    width: inLatent,
    from: narrowing.out,
    to: widening.left,
    arrays: {
      ...table('activation', { Narrow: narrow, Summed: narrow }),
      ...weights('sharedExperts', { W_narrow: `D ${rank}`, W_widen: `${rank} D` }),
    },
    before: [narrowing],
    after: [{ ...widening, ofPartial: true }],
  }
}

function sliced(layout: ProjectionLayout, kind: Kind): Routed {
  const { tokens, gatheredStream, weightD, weightInner, inner } = projections[layout]
  const { width, from, to, arrays, before, after } = waysOf(kind, tokens, gatheredStream, weightD)
  return {
    arrays: {
      ...arrays,
      ...table('activation', { Copies: `${tokens} A ${width(gatheredStream)}` }),
      ...expertArrays(`${tokens} A G${inner}`, 'A:E', width(weightD), `G${weightInner}`, kind.gated),
    },
    einsums: [
      ...before,
      { out: 'Copies', left: from, right: 'Choice', kind: 'route' },
      ...mlpEinsums(kind.gated, { from: 'Copies', to }),
      ...after,
    ],
  }
}

/** A chip makes no copies for the experts of others, so the copies for all experts (`Every`) are never in memory. */
function spread(kind: Kind): Routed {
  const { tokens, gatheredStream, weightD } = projections['1d']
  const { width, from, to, arrays, before, after } = waysOf(kind, tokens, gatheredStream, weightD)
  return {
    arrays: {
      ...arrays,
      ...table('scores', { Every: `${tokens} A ${width('D')}` }),
      ...table('activation', { Copies: `${tokens} A_YZ ${width('D')}` }),
      ...expertArrays(`${tokens} A_YZ G`, 'A:E_YZ', width('D'), 'G', kind.gated),
    },
    einsums: [
      ...before,
      { out: 'Every', left: from, right: 'Choice', kind: 'route' },
      { out: 'Copies', left: 'Every', right: 'Every', kind: 'reshard' },
      ...mlpEinsums(kind.gated, { from: 'Copies', to }),
      ...after,
    ],
  }
}

function dispatched(layout: ProjectionLayout, kind: Kind): Routed {
  const { tokens, stream, gatheredStream, weightD, weightInner, inner } = projections[layout]
  const there = tokens.replace('E', '')
  const { width, from, to, arrays, before, after } = waysOf(kind, tokens, stream, weightD)
  const sent = width(stream)
  return {
    arrays: {
      ...arrays,
      ...table('dispatch', { Routed: `${tokens} A:J ${sent}`, Dispatched: `${there} A:J_E ${sent}` }),
      ...table('combine', { Made: `${there} A:J_E ${sent}`, Combined: `${tokens} A:J ${sent}` }),
      ...table('activation', { Copies: `${there} A_E ${width(gatheredStream)}` }),
      ...expertArrays(`${there} A_E G${inner}`, 'A:E_E', width(weightD), `G${weightInner}`, kind.gated),
    },
    einsums: [
      ...before,
      { out: 'Routed', left: from, right: 'Choice', kind: 'route' },
      { out: 'Dispatched', left: 'Routed', right: 'Routed', kind: 'reshard' },
      { out: 'Copies', left: 'Dispatched', right: 'Dispatched', kind: 'route' },
      ...mlpEinsums(kind.gated, { from: 'Copies', to: 'Made' }),
      { out: 'Combined', left: 'Made', right: 'Made', kind: 'reshard' },
      { out: to, left: 'Combined', right: 'Choice', kind: 'route' },
      ...after,
    ],
  }
}

function expertArrays(
  hidden: string,
  experts: string,
  d: string,
  width: string,
  gated: boolean,
): Record<string, ShardedArray> {
  const into = `${experts} ${d} ${width}`
  return {
    ...table('activation', { Tmp: hidden, ...(gated ? { Gate: hidden, Up: hidden } : {}) }),
    ...weights('experts', {
      W_in: into,
      W_out: `${experts} ${width} ${d}`,
      ...(gated ? { W_gate: into } : {}),
    }),
  }
}
