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
import type { Component } from '../component.ts'
import { sharedArrays } from './expert-layout.ts'
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
  const routedAs = projectionUse(layout).wholeColumns ? plainProjection : layout
  const { tokens } = projections[routedAs]
  const tables: Readonly<Record<ExpertPlaces, () => Routed>> = {
    sliced: () => sliced(routedAs, gatedMlp),
    spread: () => spread(gatedMlp),
    dispatched: () => dispatched(layout, gatedMlp),
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

function sliced(layout: ProjectionLayout, gated: boolean): Routed {
  const { tokens, gatheredStream, weightD, weightInner, inner } = projections[layout]
  return {
    arrays: {
      ...table('activation', { Copies: `${tokens} A ${gatheredStream}` }),
      ...expertArrays(`${tokens} A G${inner}`, 'A:E', weightD, `G${weightInner}`, gated),
    },
    einsums: [
      { out: 'Copies', left: 'In', right: 'Choice', kind: 'route' },
      ...mlpEinsums(gated, { from: 'Copies' }),
    ],
  }
}

/** A chip makes no copies for the experts of others, so the copies for all experts (`Every`) are never in memory. */
function spread(gated: boolean): Routed {
  const { tokens } = projections['1d']
  return {
    arrays: {
      ...table('scores', { Every: `${tokens} A D` }),
      ...table('activation', { Copies: `${tokens} A_YZ D` }),
      ...expertArrays(`${tokens} A_YZ G`, 'A:E_YZ', 'D', 'G', gated),
    },
    einsums: [
      { out: 'Every', left: 'In', right: 'Choice', kind: 'route' },
      { out: 'Copies', left: 'Every', right: 'Every', kind: 'reshard' },
      ...mlpEinsums(gated, { from: 'Copies' }),
    ],
  }
}

function dispatched(layout: ProjectionLayout, gated: boolean): Routed {
  const { tokens, stream, gatheredStream, weightD, weightInner, inner } = projections[layout]
  const there = tokens.replace('E', '')
  return {
    arrays: {
      ...table('dispatch', {
        Routed: `${tokens} A:J ${stream}`,
        Dispatched: `${there} A:J_E ${stream}`,
      }),
      ...table('combine', {
        Made: `${there} A:J_E ${stream}`,
        Combined: `${tokens} A:J ${stream}`,
      }),
      ...table('activation', { Copies: `${there} A_E ${gatheredStream}` }),
      ...expertArrays(`${there} A_E G${inner}`, 'A:E_E', weightD, `G${weightInner}`, gated),
    },
    einsums: [
      { out: 'Routed', left: 'In', right: 'Choice', kind: 'route' },
      { out: 'Dispatched', left: 'Routed', right: 'Routed', kind: 'reshard' },
      { out: 'Copies', left: 'Dispatched', right: 'Dispatched', kind: 'route' },
      ...mlpEinsums(gated, { from: 'Copies', to: 'Made' }),
      { out: 'Combined', left: 'Made', right: 'Made', kind: 'reshard' },
      { out: 'Out', left: 'Combined', right: 'Choice', kind: 'route' },
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
