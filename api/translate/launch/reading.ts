/** Reads a launch file together with what the request itself says. */
import { type Fields, isFields, present } from '../../../src/fields.ts'
import { type Chip, devicesOn } from '../../../src/hardware/chip.ts'
import { hostOf } from '../../../src/hardware/cluster/hosts.ts'
import { hasUserBuffers } from '../../../src/hardware/vendor.ts'
import { knownOf } from '../../../src/launch/read/known-model.ts'
import { heldToJob } from '../../../src/launch/read/launcher-world.ts'
import type { LaunchReading } from '../../../src/launch/read/reading.ts'
import { hasBlocksOfEight, storedBy } from '../../../src/launch/server/stored-by.ts'
import { hasPositionsOf } from '../../../src/model/release-name.ts'
import { type Catalogue, type KnownModel, knownChip, knownModel } from '../../catalogue.ts'
import { ProblemError } from '../../problems.ts'
import { hardwareRequest } from '../../schemas/given/hardware.ts'
import { modelRequest } from '../../schemas/given/model.ts'
import type { LaunchedPlan } from '../../schemas/launch.ts'
import { valueAt } from '../../validation/json-pointer.ts'
import { hardwareOf } from '../hardware.ts'
import { resolvedModel } from '../model/model.ts'
import type { ResolvedModel } from '../model/resolved-model.ts'
import { withChanges } from './changed-model.ts'
import { cutOffIn } from './cut-off.ts'
import { launchKey, readerOf } from './file.ts'
import { gpusOfServer, podsOfJob } from './job-size.ts'
import { withPlainLines } from './line-ends.ts'
import { commandsOf } from './manifest.ts'
import { withModelOf } from './model-of.ts'
import { podGpus } from './pod-gpus.ts'
import { startedBy } from './replicas.ts'
import { withVocabulary } from './tokenizer-vocabulary.ts'

export function readIn(asked: LaunchedPlan, own: Fields, catalogue: Catalogue): LaunchReading {
  const { plan, notes: ofLines } = withPlainLines(asked)
  const written = plan[launchKey(plan)]
  const gpus = podGpus(written)
  const reading = { ...readTwice(plan, own, catalogue, gpus), cutOff: cutOffIn(written) }
  if (typeof written !== 'string') return reading
  const { notes: ofJob, refusals } = heldToJob(commandsOf(written), {
    ...{ podGpus: gpus, pods: podsOfJob(written), tasks: reading.tasks },
    ...present({ chips: usedOf(own), hostChips: hostChipsOf(own, catalogue) }),
  })
  const notes = [...ofLines, ...ofJob]
  return {
    ...reading,
    notes: [...reading.notes, ...notes],
    doubts: [...(reading.doubts ?? []), ...notes],
    refusals: [...(reading.refusals ?? []), ...refusals],
  }
}

/** Names of components depend on the model, which the file may be the one to name: the file is then read a second time. */
function readTwice(
  plan: LaunchedPlan,
  own: Fields,
  catalogue: Catalogue,
  gpus: number | undefined,
): LaunchReading {
  const mode = valueAt(own, ['workload', 'mode'])
  const chip = valueAt(own, ['hardware', 'chip'])
  const sequences = valueAt(own, ['workload', 'batchSequences'])
  const promptLength = valueAt(own, ['workload', 'promptLength'])
  const cachedPrefixLength = valueAt(own, ['workload', 'cachedPrefixLength'])
  const known = knownOn(own, catalogue)
  const unit = innermostSize(own, known)
  const all = chipsOf(own)
  const chips = usedOf(own)
  const slices = Number(valueAt(own, ['hardware', 'slices']) ?? 1)
  const written = plan[launchKey(plan)]
  const context = {
    ...(known ? { userBuffers: hasUserBuffers({ chip: known, network: known.system }), chip: known } : {}),
    chips,
    ...(typeof sequences === 'number' ? { sequences } : {}),
    ...(typeof promptLength === 'number' ? { promptLength } : {}),
    ...(typeof cachedPrefixLength === 'number' ? { cachedPrefixLength } : {}),
    batchAsked: (sequences ?? valueAt(own, ['workload', 'batchTokens'])) !== undefined,
    slices: chips === null || all === null ? slices : Math.ceil((slices * chips) / all),
    ...(typeof unit === 'number' ? { innermostUnit: unit } : {}),
    ...present({ podGpus: gpus, serverGpus: gpusOfServer(written), started: startedBy(written, gpus) }),
    ...present({ topology: topologyOf(own, catalogue) }),
    devices: devicesOf(known ?? (isFields(chip) ? chip : {})),
    mode: typeof mode === 'string' ? mode : null,
  }
  const read = readerOf(plan)
  const reading = (more: Parameters<typeof read>[0]) => {
    const found = withModelOf(read(more), own, catalogue)
    const { tokenizer } = found
    const release = tokenizer === undefined ? undefined : knownModel(catalogue, tokenizer)
    return withVocabulary(withChanges(found, modelNamed(found, catalogue)), release)
  }
  const first = reading({ ...context, model: null })
  const model = modelOf(own.model ?? first.named ?? (first.besideName && first.model), catalogue)?.transformer
  if (!model) return first
  const { named = '' } = first
  const surePositions = hasPositionsOf(model.name, named)
  const stored = modelOf(isFields(own.model) ? own.model : named, catalogue)?.checkpoints[0]
  return reading({
    ...context,
    model: {
      ...knownOf(model),
      ...present({ storedBy: storedBy(named, stored) }),
      ...{ surePositions, eightInBlocks: hasBlocksOfEight(stored) },
    },
  })
}

/** Null if the model cannot be resolved, which is reported once the request is complete. */
function modelOf(model: unknown, catalogue: Catalogue): ResolvedModel | null {
  const asked = modelRequest.safeParse(model)
  if (!asked.success) return null
  try {
    return resolvedModel(asked.data, catalogue)
  } catch (error) {
    if (error instanceof ProblemError) return null
    throw error
  }
}

/** The catalogue model for the file's own name; undefined if it has none, or an unknown one. */
export function modelNamed({ named }: LaunchReading, catalogue: Catalogue): KnownModel | undefined {
  return named === undefined ? undefined : knownModel(catalogue, named)
}

/** The chip that the request names; undefined where it spells one out, or names none of the catalogue. */
function knownOn(own: Fields, catalogue: Catalogue) {
  const chip = valueAt(own, ['hardware', 'chip'])
  return typeof chip === 'string' ? knownChip(catalogue, chip) : undefined
}

/** Chips of a unit of the innermost tier, as the request spells the network out or as the chip's own has it; undefined on a torus. */
function innermostSize(own: Fields, known: Pick<Chip, 'system'> | undefined): unknown {
  const first = ['tiers', 0, 'size'] as const
  return (
    valueAt(own, ['hardware', 'network', ...first]) ??
    valueAt(own, ['hardware', 'chip', 'system', ...first]) ??
    valueAt(known?.system, first)
  )
}

/** GPUs of a host; undefined on a torus, where nothing says the chip, and where it is not in the catalogue. */
function hostChipsOf(own: Fields, catalogue: Catalogue): number | undefined {
  const unit = innermostSize(own, knownOn(own, catalogue))
  return typeof unit === 'number' ? hostOf(unit) : undefined
}

/** Of a slice; undefined behind switches, and where the hardware cannot be resolved, which is reported once the request is complete. */
function topologyOf(own: Fields, catalogue: Catalogue): readonly number[] | undefined {
  const asked = hardwareRequest.safeParse(own.hardware)
  if (!asked.success) return undefined
  try {
    const { network } = hardwareOf(asked.data, 'calibrated', catalogue).cluster
    return network.kind === 'torus' ? network.topology : undefined
  } catch (error) {
    if (error instanceof ProblemError) return undefined
    throw error
  }
}

/** Devices of each chip, of the catalogue or spelled out. */
function devicesOf({ kind, devicesPerChip }: Partial<Record<keyof Chip, unknown>>): number {
  const devices = Number(devicesPerChip ?? 1)
  return kind === 'tpu' && Number.isInteger(devices) && devices > 0
    ? devicesOn({ kind, devicesPerChip: devices })
    : 1
}

/** How many of the chips are used: those that work, if the request says just one number of them, and else all. */
function usedOf(own: Fields): number | null {
  const chips = valueAt(own, ['constraints', 'chips'])
  return typeof chips === 'number' ? chips : chipsOf(own)
}

function chipsOf({ hardware }: Fields): number | null {
  const {
    chips,
    topology,
    slices = 1,
  } = (hardware ?? {}) as { chips?: unknown; topology?: unknown; slices?: unknown }
  if (typeof chips === 'number') return chips
  const sizes = typeof topology === 'string' ? topology.split('x') : topology
  if (!Array.isArray(sizes)) return null
  const all = sizes.reduce((product: number, size) => product * Number(size), Number(slices))
  return Number.isInteger(all) ? all : null
}
