/**
 * Where the chips of one communicating group lie on the network.
 *
 * On a torus: parts of physical axes, and how many slices. A part is `size` chips of a physical axis, `stride`
 * apart; a group that has the whole axis has stride 1 and all of its chips. On a switched network: ranks, as (size, stride)
 * pairs, where a stride counts chips in rank order.
 */
export interface TorusPart {
  readonly physical: number
  readonly size: number
  readonly stride: number
}

export interface TorusGroup {
  readonly kind: 'torus'
  readonly parts: readonly TorusPart[]
  readonly slices: number
}

export interface RankSpan {
  readonly size: number
  readonly stride: number
}

export interface SwitchedGroup {
  readonly kind: 'switched'
  readonly spans: readonly RankSpan[]
}

export type Group = TorusGroup | SwitchedGroup

/** Whether both lie on the same parts, or the same ranks; parts are listed by physical axis. */
export function isSameGroup(one: Group, other: Group): boolean {
  if (one.kind === 'torus') {
    if (other.kind !== 'torus' || one.slices !== other.slices) return false
    return isSame(one.parts, other.parts, (a, b) => a.physical === b.physical && isSameSpan(a, b))
  }
  return other.kind === 'switched' && isSame(one.spans, other.spans, isSameSpan)
}

function isSameSpan(a: RankSpan, b: RankSpan): boolean {
  return a.size === b.size && a.stride === b.stride
}

function isSame<One>(
  some: readonly One[],
  others: readonly One[],
  alike: (a: One, b: One) => boolean,
): boolean {
  return (
    some.length === others.length &&
    some.every((one, at) => {
      const other = others[at]
      return other !== undefined && alike(one, other)
    })
  )
}

export function groupSize(group: Group): number {
  const sizes = group.kind === 'torus' ? group.parts : group.spans
  const chips = sizes.reduce((product, { size }) => product * size, 1)
  return group.kind === 'torus' ? chips * group.slices : chips
}

/** The group of several mesh axes together; all of them must be of one kind of network. */
export function union(groups: readonly Group[], kind: Group['kind']): Group {
  if (kind === 'torus') {
    const torus = groups.filter((group) => group.kind === 'torus')
    return {
      kind,
      parts: merged(torus.flatMap((group) => group.parts)),
      slices: torus.reduce((product, group) => product * group.slices, 1),
    }
  }
  const spans = groups.filter((group) => group.kind === 'switched').flatMap((group) => group.spans)
  return { kind, spans: spans.filter(({ size }) => size > 1) }
}

/** Adjoining parts of one physical axis become one part: inner 4 and outer 5 of 20 are the whole axis. */
function merged(parts: readonly TorusPart[]): readonly TorusPart[] {
  const sorted = [...parts]
    .filter(({ size }) => size > 1)
    .sort((a, b) => a.physical - b.physical || a.stride - b.stride)
  const result: TorusPart[] = []
  for (const part of sorted) {
    const last = result.at(-1)
    const adjoins = last && last.physical === part.physical && last.stride * last.size === part.stride
    if (last && adjoins) result[result.length - 1] = { ...last, size: last.size * part.size }
    else result.push(part)
  }
  return result
}
