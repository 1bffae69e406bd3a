/**
 * Slices of a torus: which boxes of chips can be had, and which of their axes close into rings.
 *
 *   wrap `size`    an axis closes iff it has exactly that size (v5e, v6e: 16; v3: 32)
 *   wrap `cubes`   all axes close iff all are whole cubes (v4, v5p, 7x: multiples of 4; 2x2x4 has no ring)
 *
 * The slices that a chip lists can be had. Where it wraps by cubes, the list holds those smaller than a
 * cube, and any box of whole cubes can be had besides, up to the pod's number of chips: optical switches join the
 * cubes, so a slice need not be a part of the pod's own box (v4 has 12x12x24, v5p 4x8x188). Where it wraps by size
 * and lists nothing, any box of whole hosts inside the pod can be had. Axes may stand in any order. Twisted tori are not
 * modelled. Sources: How To Scale Your Model, "How to Think About TPUs"; Cloud TPU documentation, pages on each
 * version; Jouppi et al. 2023, arXiv 2304.01433.
 */
import { known } from '../../known.ts'
import type { TorusSystem } from '../chip.ts'
import {
  type Box,
  boxes,
  bySquareness,
  customary,
  doublingsBetween,
  fitsInto,
  printed,
  sorted,
  tiles,
  volume,
} from './box.ts'
import { mostChips } from './cluster-request.ts'
import { largestProduct, leastProduct } from './nearest-product.ts'
import { permutations } from './permutations.ts'

export interface SliceProblem {
  readonly reason: string
  /** Legal slices, the nearest first. */
  readonly nearest: readonly Box[]
}

/** Adds trailing axes of one chip that were left out: 2x2 of a three-dimensional torus is 2x2x1. */
export function completed(system: TorusSystem, topology: Box): Box {
  return [...topology, ...system.pod.slice(topology.length).map(() => 1)]
}

export function wraparound(system: TorusSystem, topology: Box): readonly boolean[] {
  const { wrap } = system
  const axes = completed(system, topology)
  if (wrap.kind === 'size') return axes.map((size) => size === wrap.size)
  const wholeCubes = isWholeCubes(axes, wrap.edge)
  return axes.map(() => wholeCubes)
}

/** Says why a slice cannot be had; null when it can. */
export function sliceProblem(system: TorusSystem, topology: Box): SliceProblem | null {
  const name = printed(topology)
  const axes = system.pod.length
  if (topology.length === 0 || !topology.every((size) => Number.isInteger(size) && size >= 1)) {
    return { reason: `An axis has a whole number of chips, at least 1; "${name}" does not.`, nearest: [] }
  }
  if (topology.length > axes) {
    const nearest = nearestChipCounts(system, volume(topology)).flatMap((chips) => squarest(system, chips))
    return { reason: `The torus has ${axes} axes; ${name} has ${topology.length}.`, nearest }
  }
  const box = completed(system, topology)
  if (isLegal(system, box)) return null
  const nearest = nearestSlices(system, box)
  if (volume(box) > volume(system.pod)) {
    return {
      reason: `${name} is ${volume(box)} chips; the largest pod is ${printed(system.pod)}, ${volume(system.pod)} chips.`,
      nearest,
    }
  }
  return { reason: `There is no slice ${name}: ${rule(system)}.`, nearest }
}

/** The legal slice of this many chips with the least ratio of longest to shortest edge; null when there is none. */
export function squarestSlice(system: TorusSystem, chips: number): Box | null {
  return slicesOf(system, chips)[0] ?? null
}

/** `chips` itself when it has a legal slice; else the next counts below and above that have one. */
export function nearestChipCounts(system: TorusSystem, chips: number): readonly number[] {
  if (squarestSlice(system, chips)) return [chips]
  const counts = [...(system.slices ?? []).map(volume), ...unlistedChipCounts(system, chips)]
  const below = Math.max(...counts.filter((count) => count < chips))
  const above = Math.min(...counts.filter((count) => count > chips))
  return [below, above].filter(Number.isFinite)
}

/** All legal slices of this many chips, the squarest first. */
export function slicesOf(system: TorusSystem, chips: number): readonly Box[] {
  if (!Number.isInteger(chips) || chips < 1 || chips > Math.min(mostChips, volume(system.pod))) return []
  return boxes(chips, system.pod.length)
    .filter((box) => isLegal(system, box))
    .sort(bySquareness)
    .map(customary)
}

/** The counts next to `chips` of slices that follow from the rule and are not listed. Computed, as there may be billions in between. */
function unlistedChipCounts(system: TorusSystem, chips: number): readonly number[] {
  const { wrap, pod, slices } = system
  if (wrap.kind === 'size' && slices) return []
  const unit = wrap.kind === 'cubes' ? wrap.edge ** pod.length : volume(system.host)
  const limits = wrap.kind === 'cubes' ? [[Math.floor(volume(pod) / unit)]] : hostLimits(system)
  const counts = limits.flatMap((most) => [
    largestProduct(Math.min(chips - 1, mostChips) / unit, most) * unit,
    leastProduct((chips + 1) / unit, most) * unit,
  ])
  return counts.filter((count) => count > 0 && count <= mostChips)
}

/** For each way to turn a host, how many hosts fit along each axis of the pod. */
function hostLimits({ pod, host }: TorusSystem): readonly (readonly number[])[] {
  if (host.length > pod.length) return []
  const turned = permutations([...host, ...pod.slice(host.length).map(() => 1)])
  const limits = turned.map((edges) => pod.map((length, axis) => Math.floor(length / (edges[axis] ?? 1))))
  return [...new Map(limits.map((most) => [sorted(most).join(), most])).values()]
}

/** All legal slices that fit into a topology, except the topology itself. */
export function slicesWithin(system: TorusSystem, topology: Box): readonly Box[] {
  const { wrap, slices } = system
  const step = wrap.kind === 'cubes' ? wrap.edge : 1
  const unlisted = wrap.kind === 'cubes' || !slices ? edgesWithin(topology, step) : []
  const distinct = new Map<string, Box>()
  for (const box of [...(slices ?? []), ...unlisted]) {
    const turned = sorted(completed(system, box))
    if (fitsInto(turned, topology) && isLegal(system, turned)) distinct.set(printed(turned), turned)
  }
  distinct.delete(printed(sorted(topology)))
  return [...distinct.values()].map(customary)
}

/** Every box whose edges are multiples of a step and no longer than those of another box, axis by axis. */
function edgesWithin([first, ...rest]: Box, step: number): readonly Box[] {
  if (first === undefined) return [[]]
  const others = edgesWithin(rest, step)
  const edges = Array.from({ length: Math.floor(first / step) }, (_, at) => (at + 1) * step)
  return edges.flatMap((edge) => others.map((box) => [edge, ...box]))
}

function isLegal(system: TorusSystem, topology: Box): boolean {
  const { wrap, pod, slices, host } = system
  const box = sorted(topology)
  if (slices && listed(slices).has(printed(box))) return true
  if (wrap.kind === 'cubes') return isWholeCubes(box, wrap.edge) && volume(box) <= volume(pod)
  return !slices && fitsInto(box, pod) && tiles(host, box)
}

/** The names of the listed slices with sorted axes; computed once for each list. */
function listed(slices: readonly Box[]): ReadonlySet<string> {
  return known(listedNames, slices, () => new Set(slices.map((slice) => printed(sorted(slice)))))
}

const listedNames = new WeakMap<readonly Box[], ReadonlySet<string>>()

function isWholeCubes(box: Box, edge: number): boolean {
  return box.every((size) => size % edge === 0)
}

/** The three nearest of: the listed slices, boxes with each axis rounded down or up, and slices of the nearest chip counts. */
function nearestSlices(system: TorusSystem, box: Box): readonly Box[] {
  const { wrap, slices } = system
  const host = sorted(system.host)
  const rounded = sorted(box).reduce<readonly Box[]>(
    (partial, size, axis) => {
      const step = wrap.kind === 'cubes' ? wrap.edge : (host[axis] ?? 1)
      const down = Math.max(1, Math.floor(size / step)) * step
      const choices = size === down ? [down] : [down, down + step]
      return partial.flatMap((start) => choices.map((choice) => [...start, choice]))
    },
    [[]],
  )
  const nextCounts = nearestChipCounts(system, volume(box)).flatMap((chips) => squarest(system, chips))
  const legal = [...(slices ?? []), ...[...rounded, ...nextCounts].filter((one) => isLegal(system, one))]
  return [...new Map(legal.map(customary).map((one) => [printed(one), one])).values()]
    .sort((a, b) => doublingsBetween(a, box) - doublingsBetween(b, box) || bySquareness(a, b))
    .slice(0, 3)
}

function squarest(system: TorusSystem, chips: number): readonly Box[] {
  return slicesOf(system, chips).slice(0, 1)
}

/** A longer list of slices than this is not spelled out. */
const mostShown = 40

function rule({ wrap, slices, host, pod }: TorusSystem): string {
  const all = slices?.map((slice) => printed(customary(slice))) ?? []
  const offered = all.length > mostShown ? `the ${all.length} that are listed` : all.join(', ')
  if (wrap.kind === 'cubes') {
    const cubes = `all axes multiples of ${wrap.edge} and at most ${volume(pod)} chips`
    return offered ? `one of ${offered}, or ${cubes}` : cubes
  }
  return offered ? `one of ${offered}` : `whole hosts of ${printed(host)} inside ${printed(pod)}`
}
