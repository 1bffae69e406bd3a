/**
 * The hardware that a job is started on, where what starts it says so and the request does not: node selectors of a manifest of GKE
 * (`cloud.google.com/gke-tpu-accelerator`, `gke-tpu-topology`; the replicas of a JobSet's jobs are slices), and types of xpk
 * (`--tpu-type=tpu7x-4x4x4`, `--device-type=v6e-256`, `--num-slices`); of a task of SkyPilot the kind of chip alone.
 */
import { type Fields, isFields } from '../../../src/fields.ts'
import { googleAccelerators } from '../../../src/hardware/google-accelerators.ts'
import { optionsOf } from '../../../src/launch/read/options.ts'
import { readScript } from '../../../src/launch/read/shell/script.ts'
import { type Catalogue, knownChip } from '../../catalogue.ts'
import { acceleratorIn } from './described.ts'
import { documentsOf } from './manifest.ts'

interface Machine {
  readonly chip: string
  readonly shape: { readonly topology: readonly number[] } | { readonly chips: number }
  readonly slices: number
  /** As it is written. */
  readonly said: string
}

export interface Started {
  readonly own: Fields
  readonly notes: readonly string[]
}

export function startedOn(own: Fields, written: unknown, catalogue: Catalogue): Started {
  const asked = isFields(own.hardware) ? own.hardware : {}
  const machine = typeof written === 'string' && isOpen(asked) ? machineOf(written) : null
  if (!machine) return acceleratedBy(own, asked, written, catalogue)
  const { chip, slices, shape, said } = machine
  const other = typeof asked.chip === 'string' ? knownChip(catalogue, asked.chip)?.name : undefined
  if (asked.chip !== undefined && other !== chip) return { own, notes: [] }
  const all = 'chips' in shape ? { chips: shape.chips * slices } : shape
  const hardware = { chip, ...all, ...(slices > 1 ? { slices } : {}), ...asked }
  return { own: { ...own, hardware }, notes: [`the hardware is taken from ${said}`] }
}

/** The chip that a task of SkyPilot asks for, if the request names none; how many there are is said by what it starts. */
function acceleratedBy(own: Fields, asked: Fields, written: unknown, catalogue: Catalogue): Started {
  const kind = typeof written === 'string' && asked.chip === undefined ? acceleratorIn(written) : null
  const chip = kind === null ? undefined : knownChip(catalogue, kind)?.name
  if (chip === undefined) return { own, notes: [] }
  return {
    own: { ...own, hardware: { chip, ...asked } },
    notes: [`the chip is taken from accelerators: ${kind}`],
  }
}

/** Whether a request leaves open how many chips there are. */
function isOpen({ chips, topology, slices }: Fields): boolean {
  return chips === undefined && topology === undefined && slices === undefined
}

/** Null where a text says none, or several that differ. */
function machineOf(text: string): Machine | null {
  const documents = documentsOf(text)
  const found = documents ? documents.flatMap((one) => selectedIn(one, 1, 0)) : typedIn(text)
  const [first, ...rest] = found
  return first && rest.every((one) => JSON.stringify(one) === JSON.stringify(first)) ? first : null
}

const selector = 'cloud.google.com/gke-tpu-'
const deepest = 30

function selectedIn(value: unknown, slices: number, depth: number): readonly Machine[] {
  if (typeof value !== 'object' || value === null || depth > deepest) return []
  const inside = Object.entries(value).flatMap(([key, one]) =>
    key === 'replicatedJobs' && Array.isArray(one)
      ? one.flatMap((job) => selectedIn(job, replicasOf(job), depth + 1))
      : selectedIn(one, slices, depth + 1),
  )
  if (!isFields(value)) return inside
  const [accelerator, shape] = [value[`${selector}accelerator`], value[`${selector}topology`]]
  const row = googleAccelerators.find(({ selectors }) => selectors.some((name) => name === accelerator))
  const topology = sizesOf(String(shape))
  if (!row || !topology) return inside
  const said = `gke-tpu-accelerator ${accelerator} and gke-tpu-topology ${shape}${slices > 1 ? `, ${slices} replicas` : ''}`
  return [...inside, { chip: row.chip, shape: { topology }, slices, said }]
}

function replicasOf(job: unknown): number {
  const replicas = isFields(job) ? Number(job.replicas ?? 1) : 1
  return Number.isInteger(replicas) && replicas > 0 ? replicas : 1
}

function typedIn(text: string): readonly Machine[] {
  if (!/--(tpu|device)-type\b/.test(text)) return []
  return readScript(text).commands.flatMap((words) => {
    const options = optionsOf(words)
    const type = options.text('--tpu-type', '--device-type') ?? ''
    const [, prefix, size = ''] = /^([a-z]\w*)-([\dx]+)$/.exec(type) ?? []
    const row = googleAccelerators.find(({ prefixes }) => prefixes.some((name) => name === prefix))
    const slices = options.whole('--num-slices') ?? 1
    if (!row || options.faults.length > 0) return []
    const topology = sizesOf(size)
    const chips = Number(size) / row.countedPerChip
    const shape = topology ? { topology } : Number.isInteger(chips) ? { chips } : null
    const said = `the type ${type}${slices > 1 ? `, ${slices} slices` : ''}`
    return shape ? [{ chip: row.chip, shape, slices, said }] : []
  })
}

/** Sizes of a shape such as 4x4x8; null for anything else. */
function sizesOf(shape: string): readonly number[] | null {
  return /^\d{1,4}(x\d{1,4}){1,2}$/.test(shape) ? shape.split('x').map(Number) : null
}
