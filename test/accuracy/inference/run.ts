/** What the service predicts for one published measurement of inference. */

import { existsSync, readFileSync } from 'node:fs'
import type { Assumptions } from '../../../src/assumptions/assumptions.ts'
import { calibrated } from '../../../src/assumptions/calibrated.ts'
import type { StackRecord } from '../../../src/assumptions/stack.ts'
import { quantizedBytes } from '../../../src/cost/memory/parameter-bytes.ts'
import { divisorsOf } from '../../../src/hardware/cluster/divisors.ts'
import { resolveCluster } from '../../../src/hardware/cluster/resolve.ts'
import { type ChipRecord, chipOf } from '../../../src/hardware/record.ts'
import { type InferenceModel, inferenceModel } from '../../../src/inference/model.ts'
import { generationPass, type Pass, prefillPass } from '../../../src/inference/pass/pass.ts'
import { memoryRoom } from '../../../src/inference/pass/pass-numbers.ts'
import type { InferenceCandidate, Site } from '../../../src/inference/phase.ts'
import { candidatesAt, sitesOf } from '../../../src/inference/sites.ts'
import { createWorkbench } from '../../../src/inference/workbench.ts'
import { type Spelling, spelledOut } from '../../../src/model/spelling.ts'
import type { Transformer } from '../../../src/model/transformer.ts'
import { byPart } from '../../../src/model/weight-parts.ts'
import { largestBatch } from '../../../src/modes/generate/phase.ts'
import { phaseOf } from '../../../src/modes/phases.ts'
import { inferenceCosting } from '../../../src/plan/inference/costing.ts'
import type {
  AskedSetting,
  GenerateWorkload,
  PhaseProblem,
  Precision,
  PrefillWorkload,
  Setting,
} from '../../../src/problem.ts'
import { elementBytes } from '../../../src/recipe/element-type.ts'
import { type Mesh, replicasOf, unitMesh } from '../../../src/sharding/axis.ts'
import { type ExpertPlaces, latentForms } from '../../../src/sharding/tables/inference-layout-fields.ts'
import type { Bytes, Seconds } from '../../../src/units.ts'
import { softwareOf } from '../software.ts'
import { fittedBy, publishedStacks } from '../stack-of.ts'
import { unfusedPrompts } from '../training/attention-kernels.ts'
import { weightsAndCaches } from './cache-room.ts'
import { type Comparison, comparison, type Steps, type StepTime } from './comparison.ts'
import type { InferenceRow } from './row.ts'
import { engineSettings } from './trtllm-bench.ts'

export interface ServingMemory {
  readonly bytes: Bytes
  /** Beside what a framework keeps free. */
  readonly fits: boolean
}

/** Of a static batch with all of its tokens; null where the layout cannot be expressed, or the batch is not stated. */
export function predictedServingMemory(published: InferenceRow): ServingMemory | null {
  const row = byGroups(published)
  const steps = stepsOf(row)
  if ('reason' in steps || row.batchSequences === 'max') return null
  const bytes = steps.bytes(row.batchSequences / row.mesh.data, row.promptLength + row.outputLength)
  return { bytes, fits: bytes <= steps.room }
}

/** As the stack of its software and chip costs it, if there is one, or with other constants in place of those. */
export function predictedInference(
  published: InferenceRow,
  constants: Partial<Assumptions> = stackOf(published)?.constants ?? {},
): Comparison {
  const row = byGroups(published)
  const steps = stepsOf(row, constants)
  return 'reason' in steps ? { status: 'left-out', reason: steps.reason } : comparison(row, steps)
}

/** Where experts are spread over chips that have sequences of their own, those are no replicas: the group of them is one. */
function byGroups(row: InferenceRow): InferenceRow {
  const { mesh } = row
  return isDispatched(row) ? { ...row, mesh: { ...mesh, data: mesh.data / mesh.expert } } : row
}

/** Fitted on runs of its software on such chips, or of the same software on others. */
export function stackOf(row: InferenceRow): StackRecord | null {
  return stacks.find((stack) => stack.runs === 'inference' && fittedBy(stack, softwareOf(row))) ?? null
}

function isDispatched({ mesh }: InferenceRow): boolean {
  return mesh.expert > 1 && mesh.tensor === 1
}

const stacks = publishedStacks()

const fixtures = new URL('../../../fixtures/', import.meta.url)
/** With what a batch takes on a chip, and what there is for it. */
interface MeasuredSteps extends Steps {
  readonly bytes: (sequences: number, length: number) => Bytes
  readonly room: Bytes
}

const known = new Map<string, MeasuredSteps | { readonly reason: string }>()

/** Of a fit, which asks of many constants, no more than these stay. */
const mostKnown = 200

/** Rows of one configuration differ by batch and lengths alone. */
function stepsOf(
  row: InferenceRow,
  constants: Partial<Assumptions> = {},
): MeasuredSteps | { readonly reason: string } {
  const { model, chip, mesh, strategy, precision, checkpoint } = row
  const { twoBatchOverlap, redundantExperts, unfused, engine, streamInterval } = row
  const key = JSON.stringify([
    ...[model, chip, mesh, strategy ?? null, precision, checkpoint ?? null],
    ...[twoBatchOverlap ?? false, redundantExperts ?? 0, unfused ?? false, engine ?? false, constants],
    streamInterval ?? 1,
  ])
  const steps = known.get(key) ?? evaluatedSteps(row, constants)
  known.set(key, steps)
  const [oldest] = known.keys()
  if (known.size > mostKnown && oldest !== undefined) known.delete(oldest)
  return steps
}

/** The one place where rows meet the evaluator: steps of one replica of the row's layout under `calibrated`. */
function evaluatedSteps(
  row: InferenceRow,
  constants: Partial<Assumptions>,
): MeasuredSteps | { readonly reason: string } {
  const setting = settingOf(row, constants)
  if ('reason' in setting) return setting
  // Whatever ran did fit; memory only decides how many sequences there are where a row does not say it.
  const unbounded = createWorkbench(inferenceModel({ ...setting, memoryBudget: Number.POSITIVE_INFINITY }))
  const sites = meshesOf(row).flatMap((mesh) =>
    layoutsOf(row, unbounded).flatMap((layout) => sitesOf(unbounded, mesh, { layout })),
  )
  const [site] = sites
  if (!site) return { reason: 'the layout cannot be expressed' }
  const step = (workload: PrefillWorkload | GenerateWorkload, together?: number) =>
    fastest(unbounded, sites, workload, together)
  return {
    prefill: (batchSequences, promptLength, together) =>
      step({ mode: 'prefill', batchSequences, promptLength, cachedPrefixLength: 0 }, together),
    generate: (batchSequences, length, together) =>
      step({ mode: 'generate', batchSequences, ...contextOf(length) }, together),
    bytes: (sequences, length) => {
      const pass = generationPass(setting.model, contextOf(length), sequences, site.mesh.pipeline)
      return memoryRoom(unbounded, site.mesh, site.offered)(pass)
    },
    room: roomOf(setting),
    maxSequences: (length, tokens, cacheShare = usualCacheShare) => {
      const memoryBudget = weightsAndCaches(unbounded, site, tokens, cacheShare)
      const bench = { ...unbounded, setting: { ...setting, memoryBudget } }
      return largestBatch(bench, site, contextOf(length))
    },
    ranks: replicasOf(site.mesh),
    bench: (prompt, output) => {
      const { expert, tensor, pipeline } = row.mesh
      return engineSettings(setting, { tensor: Math.max(tensor, expert), stages: pipeline }, prompt, output)
    },
  }
}

const contextOf = (length: number) => ({ contextLength: length, meanContextLength: length })

/** As plans have it: `settingOf` sets no reserve. */
function roomOf({ cluster: { chip } }: Setting): Bytes {
  return chip.hbmBytes * (1 - calibrated(chip.kind, chip.efficiency).reserveFraction)
}

/** Of what is free, what caches get: the default of TensorRT-LLM (KvCacheConfig.free_gpu_memory_fraction; vLLM's gpu_memory_utilization is 0.9 of all memory). */
const usualCacheShare = 0.9

function settingOf(
  row: InferenceRow,
  constants: Partial<Assumptions>,
): AskedSetting | { readonly reason: string } {
  if (typeof row.model === 'string' && !existsSync(fixture('models', row.model))) {
    return { reason: `${row.model} is not in the catalogue` }
  }
  const chip = chipOf(catalogued<ChipRecord>('hardware', row.chip), 'calibrated')
  const resolution = resolveCluster({ chip, chips: row.chips / row.mesh.data })
  if ('problem' in resolution) return { reason: 'the chips do not come in this number' }
  const spelling =
    typeof row.model === 'string'
      ? catalogued<{ readonly architecture: Spelling }>('models', row.model).architecture
      : row.model
  const model = spelledOut(row.id, spelling)
  const assumed = calibrated(chip.kind, chip.efficiency)
  return {
    model,
    cluster: resolution.cluster,
    memoryBudget: chip.hbmBytes,
    precision: precisionOf(row),
    asked: {},
    constraints: {},
    assumptions: {
      ...assumed,
      ...(row.unfused ? unfusedPrompts(chip, assumed, model.headDim) : {}),
      // What frameworks keep free is in the budget.
      reserveFraction: 0,
      twoBatchOverlap: row.twoBatchOverlap ?? false,
      redundantExperts: row.redundantExperts ?? 0,
      ...constants,
      ...(row.engine ? { inferenceLayerHostSeconds: 0 } : {}),
      ...(row.streamInterval === undefined ? {} : { inferenceSequenceOverheadSeconds: streamedTogether }),
    },
    objective: 'stepTime',
    top: 1,
  }
}

/**
 * Of each sequence, where ten or more of its tokens are sent on together: what the fit rows of TensorRT-LLM come to, all of which
 * ran so (InferenceX, benchmarks/70b_*_trt_*.sh: `stream_interval: 10`). Those of vLLM, which sent each, come to 27 us. With ten instead of one
 * vLLM served gpt-oss-20b 1.57 times as fast at 1024 requests (vllm-project/vllm, pull request 27869; blog.vllm.ai, 2026-02-01).
 */
const streamedTogether: Seconds = 1e-5

function precisionOf({ precision, checkpoint }: InferenceRow): Precision {
  const whole = { ...precision, gradients: 'bf16', optimizer: 'fp32' } as const
  if (!checkpoint) return whole
  const { bits = 8 * elementBytes[precision.weights], kept } = checkpoint
  const keptShares = byPart((part) => kept[part] ?? 0)
  return {
    ...whole,
    parameterBytes: quantizedBytes({ weights: precision.weights, bits, kept: 'bf16', keptShares }),
  }
}

function catalogued<T>(folder: 'hardware' | 'models', name: string): T {
  return JSON.parse(readFileSync(fixture(folder, name), 'utf8'))
}

function fixture(folder: 'hardware' | 'models', name: string): URL {
  return new URL(`${folder}/${name}.json`, fixtures)
}

/** The tensor chips of a torus are shared out over both axes as is best for the layout. */
function meshesOf(row: InferenceRow): readonly Mesh[] {
  const { tensor, pipeline, expert } = row.mesh
  const seconds = row.strategy === undefined ? [1] : divisorsOf(tensor)
  return seconds.map((tensor2) => ({
    ...unitMesh,
    ...{ tensor: tensor / tensor2, tensor2, pipeline, expert: isDispatched(row) ? expert : 1 },
  }))
}

/**
 * Serving stacks of GPUs have Megatron's layout, and of latent attention the faster form; ESTI's tables name theirs, and leave
 * the unembedding open.
 */
function layoutsOf(
  row: InferenceRow,
  { components, setting }: InferenceModel,
): readonly Readonly<Record<string, string>>[] {
  const { strategy } = row
  if (strategy === undefined) {
    const forms = setting.model.attention.latent ? latentForms.map((form) => `/${form}`) : ['']
    return forms.map((form) => {
      const named = new Map([
        ['block', '1d/heads'],
        ['attention', `1d/heads${form}`],
        ['experts', `1d/${placesOf(row)}`],
      ])
      return Object.fromEntries(components.map(({ name }) => [name, named.get(name) ?? '1d']))
    })
  }
  const projection = strategy.includes('weight-gathered XYZ') ? 'gathered-all' : '2d'
  return [{ block: `${projection}/${strategy.endsWith('batch') ? 'batch' : 'heads'}` }]
}

function placesOf(row: InferenceRow): ExpertPlaces {
  if (row.mesh.expert === 1) return 'sliced'
  return isDispatched(row) ? 'dispatched' : 'spread'
}

function fastest(
  model: InferenceModel,
  sites: readonly Site[],
  workload: PrefillWorkload | GenerateWorkload,
  together?: number,
): StepTime {
  const problem = { ...model.setting, workload } as PhaseProblem
  const chosen = phaseOf(model, problem)
  const phase =
    together === undefined
      ? chosen
      : {
          ...chosen,
          passes: ({ mesh }: Site) => [passedOn(model.setting.model, workload, together, mesh.pipeline)],
        }
  const [best] = sites.flatMap((site) => candidatesAt(phase, site)).sort((a, b) => a.seconds - b.seconds)
  return best ? { seconds: best.seconds, parts: partsOf(model, best) } : { seconds: Number.NaN, parts: {} }
}

/** So many sequences go from stage to stage together, however many groups of them that makes: each of them goes through all stages. */
function passedOn(
  model: Transformer,
  workload: PrefillWorkload | GenerateWorkload,
  together: number,
  stages: number,
): Pass {
  if (workload.batchSequences === 'max') throw new RangeError('Of no batch that is a number')
  const { batchSequences } = workload
  const groups = Math.ceil(batchSequences / together)
  if (workload.mode === 'prefill') return prefillPass(model, workload, groups, stages)
  const full = generationPass(model, workload, stages * together, stages)
  return {
    ...full,
    rounds: full.rounds.map((own) => ({ ...own, head: groups < stages ? 1 : groups })),
    resident: { ...full.resident, sequences: batchSequences },
  }
}

/** What each part adds to the step, in the order of an answer's time account. */
function partsOf(model: InferenceModel, candidate: InferenceCandidate): Readonly<Record<string, Seconds>> {
  const { components, resharding, beside, transfers, overhead } = inferenceCosting(model, candidate)
  const sum = (part: (component: (typeof components)[number]) => number) =>
    components.reduce((total, component) => total + part(component), 0)
  return {
    arithmetic: sum(({ busy, time }) => busy * Math.min(time.arithmetic, time.compute)),
    streaming: sum(({ busy, time }) => busy * Math.max(0, time.compute - time.arithmetic)),
    communication:
      sum(({ busy, time }) => busy * (time.expected - time.compute)) + resharding + beside + transfers,
    waiting: sum(({ times, busy, time }) => (times - busy) * time.expected),
    overhead,
  }
}
