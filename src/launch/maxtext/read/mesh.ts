/** The mesh that MaxText's keys describe: axes within slices (ICI) times axes across them (DCN). Behind switches the units of the innermost tier count as slices. */

import { compact } from '../../../compact.ts'
import type { Chip } from '../../../hardware/chip.ts'
import type { Keys } from '../../read/fields.ts'
import type { ReadingContext } from '../../read/reading.ts'
import { unsplit } from '../device-mesh.ts'
import { chipMesh } from '../devices.ts'
import { type MaxtextAxis, maxtextAxes, maxtextSizes } from '../mesh.ts'
import { isLaidElsewhere } from './immaterial.ts'

/** Axes that stand for another: weights are sharded over both, each along another dimension, and the bytes that move are the same. */
const second: Readonly<Partial<Record<MaxtextAxis, string>>> = { fsdp: 'fsdp_transpose' }

/** Axes that plans do not have. */
const otherAxes = [
  ...['sequence', 'context_autoregressive', 'tensor_transpose', 'tensor_sequence'],
  ...['autoregressive', 'diloco', 'attn_dp', 'attn_dp_expert'],
]

/** Chips of an innermost unit where the request does not say it: GPUs of a node. */
const usualUnit = 8

/** Sizes of the axes on one level: within slices, or across them. */
interface Level {
  readonly sizes: Readonly<Partial<Record<MaxtextAxis, number>>>
  /** The sizes as the keys give them, for messages. */
  readonly written: string
  /** The keys of axes that take what the others leave, of which MaxText has one on a level. */
  readonly open: readonly string[]
  /** Chips of a slice, or slices, that the keys use; null if an open axis takes exactly the rest. */
  readonly takes: number | null
}

function levelOf(keys: Keys, prefix: 'ici' | 'dcn', open: string, all: number): Level {
  const own = maxtextAxes
    .flatMap((axis) => [
      { axis, said: axis as string },
      ...(second[axis] ? [{ axis, said: second[axis] }] : []),
    ])
    .map(({ axis, said }) => {
      const name = `${prefix}_${said}_parallelism`
      return { axis, name, size: keys.number(name, said === open ? -1 : 1) }
    })
  const product = own.reduce((sum, { size }) => (size > 0 ? sum * size : sum), 1)
  return {
    sizes: Object.fromEntries(
      maxtextAxes.map((axis) => [
        axis,
        own
          .filter((one) => one.axis === axis)
          .reduce((times, { size }) => times * (size > 0 ? size : all / product), 1),
      ]),
    ),
    written: own.flatMap(({ name, size }) => (size > 1 ? [`${name} ${size}`] : [])).join(' x '),
    open: own.flatMap(({ name, size }) => (size <= 0 ? [name] : [])),
    takes: own.some(({ size }) => size <= 0) && Number.isInteger(all / product) ? null : product,
  }
}

/** Where the keys take fewer chips than there are. */
const idle = ' (if the others are to stay idle, constraints.chips says how many work)'

/** Messages for levels whose sizes do not match the chips of the request. */
function misfits(
  levels: readonly (readonly [level: Level, all: number, of: string])[],
  unit: string,
  devices: number,
): readonly string[] {
  const [[, inner] = [null, 1], [, outer] = [null, 1]] = levels
  const several = levels.map(([{ open }]) => open).filter((open) => open.length > 1)
  if (several.length > 0)
    return several.map(
      (open) => `${open.join(' and ')} are -1, and one axis alone may take what the others leave`,
    )
  const all = inner * outer
  const ranks = devices === 1 ? `${all} chips` : `${all} devices (${devices} on a chip)`
  if (!Number.isInteger(inner)) return [`the ${ranks} of the request are not whole ${unit}s`]
  const request = `the ${ranks} of the request are ${outer} ${unit}${outer === 1 ? '' : 's'} of ${inner}`
  return levels
    .filter(([{ takes }, all]) => takes !== null && takes !== all)
    .map(
      ([{ written, open, takes }, all, of]) =>
        `${written || 'axes of 1'} ${open.length > 0 ? 'does not divide' : 'takes'} ${takes} ${of}, and ${request}${takes !== null && takes < all ? idle : ''}`,
    )
}

/** A note for each axis that is counted as another. */
export function secondAxes(keys: Keys): readonly string[] {
  return Object.entries(second).flatMap(([axis, said]) => {
    return isUsed(keys, said) ? [`${said} is counted as ${axis}`] : []
  })
}

/** Null if the file does not say it. */
export function kindOf(keys: Keys): Chip['kind'] | null {
  const hardware = keys.text('hardware', '')
  return /^gpu/.test(hardware) ? 'gpu' : hardware === 'tpu' ? 'tpu' : null
}

export function meshOf(
  keys: Keys,
  { chips, slices, topology, innermostUnit = usualUnit, devices = 1 }: ReadingContext,
) {
  const ranks = (chips ?? 1) * devices
  const gpu = kindOf(keys) === 'gpu'
  const unit = gpu ? 'node' : 'slice'
  const outer = gpu ? Math.ceil((chips ?? 1) / innermostUnit) : slices
  const inner = ranks / outer
  const [ici, dcn] = [levelOf(keys, 'ici', 'fsdp', inner), levelOf(keys, 'dcn', 'data', outer)]
  const mesh = maxtextSizes((axis) => (ici.sizes[axis] ?? 1) * (dcn.sizes[axis] ?? 1))
  const uncounted = uncountedAxes(keys, otherAxes)
  const all = Object.values(mesh).reduce((product, own) => product * own, 1)
  const whole = Object.values(mesh).every((own) => Number.isInteger(own) && own > 0)
  const onChips = chipMesh(mesh, devices)
  const splits = keys.is('allow_split_physical_axes') || isLaidElsewhere(keys)
  const fits = whole && all === ranks && topology !== undefined
  const stopped =
    fits && !splits
      ? unsplit(
          topology,
          devices,
          maxtextSizes((axis) => ici.sizes[axis] ?? 1),
        )
      : null
  return {
    mesh: onChips ?? mesh,
    refusals: compact(stopped),
    chips,
    ranks: chips === null ? null : ranks,
    /** Parts into which MaxText shares out the sequences of a pass. */
    parts: mesh.data * mesh.fsdp * mesh.expert,
    faults:
      chips === null
        ? ['how many chips there are is said by hardware alone (--chips or --topology on the command line)']
        : [
            ...(whole && all === ranks
              ? onChips
                ? []
                : [`the ${devices} devices of a chip divide no axis of the mesh`]
              : misfits(
                  [
                    [ici, inner, `${devices === 1 ? 'chips' : 'devices'} of each ${unit}`],
                    [dcn, outer, `${unit}s`],
                  ],
                  unit,
                  devices,
                )),
            ...uncounted,
          ],
  }
}

/** A fault for each of these axes that the keys give a size, within slices or across them. */
export function uncountedAxes(keys: Keys, axes: readonly string[]): readonly string[] {
  return axes.filter((axis) => isUsed(keys, axis)).map((axis) => `the axis ${axis} is not counted`)
}

function isUsed(keys: Keys, axis: string): boolean {
  return ['ici', 'dcn'].some((prefix) => keys.number(`${prefix}_${axis}_parallelism`, 1) > 1)
}
