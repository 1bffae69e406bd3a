/**
 * The time of one stage i of a memory-policy programme (search/memory-policy/memory-policy.ts) as rows, where the backward pass is in one piece
 * and where its weight gradients fill the bubble (recipe/schedule-row.ts: a, b and k), in ms:
 *
 *   t_i = F_i + b_i + e(x_i)         b_i >= B_j(x_i),   g_i >= G_j(x_i)
 *   once                             what weights and gradients add once a step, g_i - b_i with it
 *
 *   in one piece   S >= (m - 1/v)·s·t_i + once, s its slowdown,               T >= t_i
 *   split          S >= m·t_i - k·(b_i - c_i) - w_i + once,   w_i = a·F_i + b·(d_i + e(x_i))
 *                  all >= m·t_i + once,                       all >= S + Σ_i s_i·w_i
 *                  c_i, d_i >= the backward window without what fills bubbles, without all weight gradients
 *
 * A larger b_i, c_i or d_i never helps: the first costs m - 1 + (s_i - 1)/v (m - k - 1 where split) or more, the second k, and
 * what d_i takes off S it puts on the sum. Each is therefore its maximum. There are s_i stages like i.
 */

import type { Row, Variable } from '../../../solvers/linear-program.ts'
import type { StageGroup } from '../../cost/step/stages.ts'
import type { SplitBackward } from '../../recipe/schedule-row.ts'
import type { Seconds } from '../../units.ts'
import type { LayerCounts } from '../memory-policy/layer-counts.ts'
import { sum, type Terms, times } from '../memory-policy/linear-terms.ts'
import type { StageWindows } from './stage-windows.ts'

export interface StagePart {
  readonly variables: readonly Variable[]
  readonly rows: readonly Row[]
}

/** `repeats` is m - 1/v, times its slowdown. */
export function wholeStage(
  windows: StageWindows,
  i: number,
  counts: LayerCounts,
  repeats: number,
  cost: number,
): StagePart {
  const [stage, backward, grown] = [`stage ${i}`, `backward ${i}`, `grown ${i}`]
  return {
    variables: [free(backward), free(grown), { name: stage, cost }],
    rows: [
      equal(
        `time ${i}`,
        { [stage]: 1, [backward]: -1, ...minus(windows.exposed, i, counts) },
        windows.forward,
      ),
      { name: `longest ${i}`, terms: { longest: 1, [stage]: -1 }, lower: 0 },
      {
        name: `busiest ${i}`,
        terms: { busiest: 1, [stage]: -repeats, [grown]: -1, [backward]: 1 },
        lower: windows.once,
      },
      ...atLeast(grown, windows.grown, i, counts),
      ...atLeast(backward, windows.backward, i, counts),
    ],
  }
}

/** What the stages add up to; each second of T costs as much as the holes of an interleaved schedule take. */
export function wholePipeline(holes: Seconds): StagePart {
  return {
    variables: [
      { name: 'busiest', cost: 1 },
      { name: 'longest', cost: holes },
    ],
    rows: [],
  }
}

export function splitStage(
  windows: StageWindows,
  i: number,
  counts: LayerCounts,
  microbatches: number,
  { forwards, inputGradients, fills }: SplitBackward,
): StagePart {
  const names = ['stage', 'passed', 'backward', 'grown', 'filled', 'inputs'].map((name) => `${name} ${i}`)
  const [stage = '', passed = '', backward = '', grown = '', filled = '', inputs = ''] = names
  const exposed = minus(windows.exposed, i, counts)
  return {
    variables: names.map(free),
    rows: [
      equal(`time ${i}`, { [stage]: 1, [backward]: -1, ...exposed }, windows.forward),
      equal(
        `passes ${i}`,
        { [passed]: 1, [inputs]: -inputGradients, ...times(exposed, inputGradients) },
        forwards * windows.forward,
      ),
      {
        name: `busiest ${i}`,
        terms: {
          busiest: 1,
          [stage]: -microbatches,
          [passed]: 1,
          [filled]: -fills,
          [grown]: -1,
          [backward]: 1 + fills,
        },
        lower: windows.once,
      },
      {
        name: `busy ${i}`,
        terms: { all: 1, [stage]: -microbatches, [grown]: -1, [backward]: 1 },
        lower: windows.once,
      },
      ...atLeast(grown, windows.grown, i, counts),
      ...atLeast(backward, windows.backward, i, counts),
      ...atLeast(filled, windows.filled, i, counts),
      ...atLeast(inputs, windows.inputs, i, counts),
    ],
  }
}

export function splitPipeline(groups: readonly StageGroup[]): StagePart {
  const passing = groups.map((group, i) => ({ [`passed ${i}`]: -group.stages }))
  return {
    variables: [
      { name: 'busiest', cost: 0 },
      { name: 'all', cost: 1 },
    ],
    rows: [{ name: 'all wait', terms: sum([{ all: 1, busiest: -1 }, ...passing]), lower: 0 }],
  }
}

function equal(name: string, terms: Terms, to: number): Row {
  return { name, terms, lower: to, upper: to }
}

function free(name: string): Variable {
  return { name, cost: 0 }
}

function minus(perLayer: readonly number[], i: number, counts: LayerCounts): Terms {
  return times(weighted(perLayer, i, counts), -1)
}

function atLeast(
  name: string,
  bounds: readonly (readonly number[])[],
  i: number,
  counts: LayerCounts,
): readonly Row[] {
  return bounds.map((bound, k) => ({
    name: `${name} ${k}`,
    terms: { [name]: 1, ...minus(bound, i, counts) },
    lower: 0,
  }))
}

/** Sum over the layers of a group, each with the weight of the policy that it uses. */
export function weighted(perLayer: readonly number[], group: number, { layers }: LayerCounts): Terms {
  return sum(perLayer.map((weight, policy) => times(layers(group, policy), weight)))
}
