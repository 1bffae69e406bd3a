/**
 * What the layouts of a mesh take for what runs through a stage at once: seconds of the products of a layer, and the bytes that it works
 * with. Stages, replicas of as many sequences each, and the chips that are left out do not change it, so that meshes that differ in nothing
 * else share it.
 */
import { known } from '../../known.ts'
import { beyondAnyAxis, type Mesh } from '../../sharding/axis.ts'
import type { Bytes, Seconds } from '../../units.ts'
import {
  type CompiledLayout,
  type CompiledProduct,
  type Offered,
  offeredText,
} from '../layout/compiled-layout.ts'
import { type Sizes, setShape, setShards } from '../layout/local-sizes.ts'
import { type LocalSum, sumOf } from '../layout/local-term.ts'
import { computeSeconds, productSeconds } from '../time/component-time.ts'
import type { Workbench } from '../workbench.ts'
import type { Pass } from './pass.ts'
import type { ShapeNumbers } from './pass-amounts.ts'

/** Time of one layer, or of the head once. */
export function shapeSeconds(
  bench: Workbench,
  mesh: Mesh,
  pass: Pass,
  layouts: Offered,
): readonly (readonly Seconds[])[] {
  const numbers = numbersOf(bench, mesh, pass, layouts)
  numbers.compute ??= ofEach(bench, mesh, pass, layouts, (options) => optionSeconds(bench, pass, options))
  return numbers.compute
}

export function shapeWorkspace(
  bench: Workbench,
  mesh: Mesh,
  pass: Pass,
  layouts: Offered,
): readonly (readonly Bytes[])[] {
  const numbers = numbersOf(bench, mesh, pass, layouts)
  numbers.workspace ??= ofEach(bench, mesh, pass, layouts, (options, head) =>
    options.map((layout) => liveBytes(bench, pass, layout, head)),
  )
  return numbers.workspace
}

/** Numbers of each component's layouts, asked when the sizes of the mesh and of the component's pass are set. */
function ofEach<Value>(
  bench: Workbench,
  mesh: Mesh,
  pass: Pass,
  layouts: Offered,
  each: (options: readonly CompiledLayout[], head: boolean) => readonly Value[],
): readonly (readonly Value[])[] {
  setShards(bench.sizes, mesh)
  return layouts.map((options, component) => {
    const head = component === layouts.length - 1
    setPass(bench, pass, head)
    return each(options, head)
  })
}

function numbersOf(bench: Workbench, mesh: Mesh, pass: Pass, layouts: Offered): ShapeNumbers {
  const { lastShapes, shapes } = bench
  if (lastShapes.mesh !== mesh || lastShapes.layouts !== layouts) {
    lastShapes.mesh = mesh
    lastShapes.layouts = layouts
    lastShapes.own = known(shapes, shardsText(mesh, layouts), () => new Map())
    lastShapes.like = null
  }
  // A mesh is asked for many numbers of sequences, one after another.
  if (lastShapes.like === null || !isAlike(lastShapes.like, pass)) {
    const { positions, context } = pass.shape
    const rest = `${positions} ${context} ${pass.headPositions} ${pass.halves}${pass.mode}`
    lastShapes.like = pass
    lastShapes.ofLike = known(lastShapes.own, rest, () => new Map())
  }
  const key = sequencesKey(pass.shape.sequences, pass.headSequences, mesh)
  return known(lastShapes.ofLike, key, () => ({ compute: null, workspace: null }))
}

/** But for the number of sequences. */
function isAlike(one: Pass, other: Pass): boolean {
  return (
    one.shape.positions === other.shape.positions &&
    one.shape.context === other.shape.context &&
    one.headPositions === other.headPositions &&
    one.halves === other.halves &&
    one.mode === other.mode
  )
}

/** Sequences alone are shared out over replicas (test/laws/inference/replicas.test.ts). */
function shardsText(mesh: Mesh, layouts: Offered): string {
  const { fsdp, tensor, tensor2, context, expert } = mesh
  return `${fsdp} ${tensor} ${tensor2} ${context} ${expert} ${offeredText(layouts)}`
}

/** Of each replica. Replicas that do not divide them are told apart, since what is rounded up could be rounded otherwise. */
function sequencesKey(sequences: number, headSequences: number, { data }: Mesh): number | string {
  const [own, ofHead] = [sequences / data, headSequences / data]
  const whole = Number.isInteger(own) && Number.isInteger(ofHead)
  if (whole && Math.max(own, ofHead) < beyondAnyAxis) return own * beyondAnyAxis + ofHead
  return `${sequences}/${data} ${headSequences}/${data}`
}

/** Sets the sizes of a pass; the head runs only on the last positions, of both halves together. */
export function setPass({ sizes }: Workbench, pass: Pass, head: boolean): void {
  const { shape, headSequences, headPositions } = pass
  setShape(sizes, head ? { ...shape, sequences: headSequences, positions: headPositions } : shape)
}

/** Products and calls of a component's layouts are mostly the same: each is worked out once. */
function optionSeconds(
  { rates, assumed, sizes, products: found }: Workbench,
  { mode, contexts }: Pass,
  options: readonly CompiledLayout[],
): readonly Seconds[] {
  const given = { rates, assumptions: assumed[mode], contexts, sizes }
  found.fill(Number.NaN)
  const secondsOf = (product: CompiledProduct) => {
    const before = found[product.at] ?? Number.NaN
    if (!Number.isNaN(before)) return before
    const seconds = productSeconds(product, given)
    found[product.at] = seconds
    return seconds
  }
  return options.map((layout) => computeSeconds(layout, given, secondsOf))
}

/** What a component works with; the sizes of the pass are set. */
export function liveBytes(
  { sizes }: Workbench,
  { halves }: Pass,
  { live }: CompiledLayout,
  head: boolean,
): Bytes {
  return (head ? fp32Copy : halves) * largestOf(live, sizes)
}

function largestOf(sets: readonly LocalSum[], sizes: Sizes): Bytes {
  let most = 0
  for (const set of sets) most = Math.max(most, sumOf(set, sizes))
  return most
}

/** Logits have an fp32 copy beside those in 16 bits: three times the bytes. */
const fp32Copy = 3
