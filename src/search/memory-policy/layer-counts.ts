/**
 * How many layers of each group of stages use which policy, as part of a programme. There are two ways to count:
 *
 *   real           x_ip >= 0 free, the working set of a stage the mean of its layers': a relaxation of the other
 *   two policies   on every stage n layers use one policy, the leaner, and the rest another, n the same for all:
 *                  min(n, L_i) on a stage of L_i layers, which is what frameworks take (cost/memory/remat.ts)
 *
 * For two policies, binaries say which is the leaner (`other`) and which the rest (`policy`); they may be the same. Where
 * layers differ, the leaner is leaner in layers of either kind. A stage of fewer layers than the fullest has one more binary, for n
 * being beyond its layers.
 */
import type { Point, Row, Variable } from '../../../solvers/linear-program.ts'
import type { MemoryNumbers } from '../../cost/memory/layer-bytes.ts'
import { keepsLess } from '../../cost/memory/remat.ts'
import { liveOf, type Mix } from '../../cost/memory/stage-memory.ts'
import type { StageGroup } from '../../cost/step/stages.ts'
import type { Terms } from './linear-terms.ts'

export interface LayerCounts {
  readonly variables: readonly Variable[]
  readonly rows: readonly Row[]
  /** Number of layers of a stage that use a policy, as an expression. */
  readonly layers: (group: number, policy: number) => Terms
  /** The working set of a recomputed layer, in the programme's unit of bytes. */
  readonly live: (group: number) => Terms
}

export type Counting = (
  memory: MemoryNumbers,
  groups: readonly StageGroup[],
  perByte: number,
  whole: boolean,
) => LayerCounts

export const realCounts: Counting = (memory, groups, perByte) => {
  const { kept } = memory
  const every = (group: number, times: (policy: number) => number): Terms =>
    Object.fromEntries(kept.map((_, p) => [layers(group, p), times(p)]))
  return {
    variables: groups.flatMap((_, i) => kept.map((_kept, p) => ({ name: layers(i, p), cost: 0 }))),
    rows: groups.map((group, i) => ({
      name: `layers ${i}`,
      terms: every(i, () => 1),
      lower: group.layers,
      upper: group.layers,
    })),
    layers: (group, policy) => ({ [layers(group, policy)]: 1 }),
    live: (i) => {
      const group = groups[i]
      return group ? every(i, (p) => (liveOf(memory, group, p) * perByte) / group.layers) : {}
    },
  }
}

export const twoPolicies: Counting = (memory, groups, perByte, whole) => {
  const { kept } = memory
  const most = Math.max(...groups.map((group) => group.layers))
  const policies = kept.map((_, p) => p)
  const every = (name: (policy: number) => string, times: (policy: number) => number = () => 1): Terms =>
    Object.fromEntries(policies.map((p) => [name(p), times(p)]))
  const keeping = (sign: 1 | -1) => (policy: number) => sign * (kept[policy] ?? 0) * perByte
  const variables: Variable[] = [
    { name: 'count', cost: 0, upper: most, integer: whole },
    ...policies.flatMap((p): Variable[] => [
      { name: isOther(p), cost: 0, upper: 1, integer: true },
      { name: isRest(p), cost: 0, upper: 1, integer: true },
    ]),
  ]
  const rows: Row[] = [
    { name: 'one other', terms: every(isOther), lower: 1, upper: 1 },
    { name: 'one rest', terms: every(isRest), lower: 1, upper: 1 },
    {
      name: 'other is leaner',
      terms: { ...every(isRest, keeping(1)), ...every(isOther, keeping(-1)) },
      lower: 0,
    },
    ...policies.flatMap((p) =>
      policies
        .filter((q) => keepsLess(memory, p, q) !== keepsLess({ kept }, p, q))
        .map((q) => ({ name: `not ${q} beside ${p}`, terms: { [isRest(p)]: 1, [isOther(q)]: 1 }, upper: 1 })),
    ),
  ]
  // Groups whose layers are alike share one working set, unless the ends leave another part of it.
  const liveIn = groups.map((group) => policies.map((p) => liveOf(memory, group, p)).join())
  const liveName = (group: number) => `live ${liveIn.indexOf(liveIn[group] ?? '')}`
  groups.forEach((group, i) => {
    const live = liveName(i)
    if (variables.some(({ name }) => name === live)) return
    const working = (policy: number) => -liveOf(memory, group, policy) * perByte
    variables.push({ name: live, cost: 0 })
    rows.push(
      { name: `${live} of other`, terms: { [live]: 1, ...every(isOther, working) }, lower: 0 },
      { name: `${live} of rest`, terms: { [live]: 1, ...every(isRest, working) }, lower: 0 },
    )
  })
  for (const size of new Set(groups.map((group) => group.layers))) {
    const other = (policy: number) => `other ${policy} of ${size}`
    const rest = (policy: number) => `rest ${policy} of ${size}`
    for (const p of policies) {
      variables.push({ name: other(p), cost: 0, upper: size }, { name: rest(p), cost: 0, upper: size })
      rows.push({ name: other(p), terms: { [other(p)]: 1, [isOther(p)]: -size }, upper: 0 })
      rows.push({ name: rest(p), terms: { [rest(p)]: 1, [isRest(p)]: -size }, upper: 0 })
    }
    rows.push({
      name: `all of ${size}`,
      terms: { ...every(other), ...every(rest) },
      lower: size,
      upper: size,
    })
    const counted = every(other)
    if (size === most) {
      rows.push({ name: `count of ${size}`, terms: { ...counted, count: -1 }, lower: 0, upper: 0 })
      continue
    }
    const beyond = `count is beyond ${size}`
    variables.push({ name: beyond, cost: 0, upper: 1, integer: true })
    rows.push(
      { name: `count of ${size}`, terms: { ...counted, count: -1 }, upper: 0 },
      { name: `count up to ${size}`, terms: { ...counted, count: -1, [beyond]: most - size }, lower: 0 },
      { name: `all beyond ${size}`, terms: { ...counted, [beyond]: -size }, lower: 0 },
    )
  }
  return {
    variables,
    rows,
    layers: (group, policy) => {
      const size = groups[group]?.layers
      return { [`other ${policy} of ${size}`]: 1, [`rest ${policy} of ${size}`]: 1 }
    },
    live: (group) => ({ [liveName(group)]: 1 }),
  }
}

function layers(group: number, policy: number): string {
  return `layers ${group} ${policy}`
}

function isOther(policy: number): string {
  return `other is ${policy}`
}

function isRest(policy: number): string {
  return `rest is ${policy}`
}

/** The mix of two policies that a point chooses, of so many that there are. */
export function readMix({ values }: Point, policies: number): Mix {
  const chosen = (name: (policy: number) => string) =>
    Array.from({ length: policies }, (_, policy) => policy).find((p) => values[name(p)] === 1) ?? 0
  return { policy: chosen(isRest), other: chosen(isOther), count: values.count ?? 0 }
}
