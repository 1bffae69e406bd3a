/** A published run, and the service's prediction for its layout. */

import { readFileSync } from 'node:fs'
import type { Assumptions } from '../../../src/assumptions/assumptions.ts'
import { calibrated } from '../../../src/assumptions/calibrated.ts'
import { stackAssumptions, usualStack } from '../../../src/assumptions/stack.ts'
import { evaluate } from '../../../src/evaluate.ts'
import { present } from '../../../src/fields.ts'
import type { Chip } from '../../../src/hardware/chip.ts'
import type { NetworkOverride } from '../../../src/hardware/cluster/cluster-request.ts'
import { resolveCluster } from '../../../src/hardware/cluster/resolve.ts'
import { scalesBlocks } from '../../../src/hardware/peak.ts'
import { type ChipRecord, chipOf } from '../../../src/hardware/record.ts'
import { type Architecture, transformer } from '../../../src/model/architecture.ts'
import { type Spelling, spelledOut } from '../../../src/model/spelling.ts'
import type { Transformer } from '../../../src/model/transformer.ts'
import type { Residuals } from '../../../src/plan/certainty/residuals.ts'
import type { Plan } from '../../../src/plan/plan.ts'
import type { PlanSketch } from '../../../src/plan-sketch.ts'
import type { Problem } from '../../../src/problem.ts'
import { usualType } from '../../../src/recipe/element-type.ts'
import type { ElementType } from '../../../src/recipe/element-types.ts'
import type { ExpertRecipeName } from '../../../src/recipe/expert-recipes.ts'
import type { ScheduleName } from '../../../src/recipe/schedules.ts'
import { type Mesh, unitMesh } from '../../../src/sharding/axis.ts'
import type { ZeroStage } from '../../../src/sharding/states.ts'
import type { Residual } from '../../../src/sharding/tables/training-layout.ts'
import { fittedBy, publishedStacks } from '../stack-of.ts'
import { type AttentionKernel, attentionOf } from './attention-kernels.ts'

/**
 * What large fp8 matmuls reach of the fraction of peak that bf16 ones do, on Blackwell with one scale for a whole tensor, which its fp8
 * recipes have unless told otherwise; one for each block of 32 has
 * 0.92 (fixtures/stacks). Both leave out quantising, which casts count: the matmuls of TensorRT-LLM, vLLM and SGLang of 3 TFLOP and more
 * reach 1.00 and 0.92 of what bf16 ones of the same shape do with the fastest kernel of each (same source, B200, B300, GB200, GB300,
 * 3 shapes on each); TensorRT-LLM's of 0.3 TFLOP and more, split into a start, FLOPs and what is quantised, 1.02 and 0.95, of 1 TFLOP and
 * more 1.02 and 0.91. Power holds bf16 of random numbers to 0.6 to 0.7 of peak there, and fp8 no more.
 */
const fp8ShareByTensor = 1.01

/**
 * Share of what experts are sent that hides where one microbatch runs forwards beside another backwards. Qwen3-30B-A3B on 16 H100, pairs
 * that differ by nothing else: 24.71 s and 20.99 s by HybridEP, 41.25 s and 31.31 s by AllToAll, 0.7 and 0.6 of what is predicted to be
 * sent (NVIDIA-NeMo/Megatron-Bridge @067f987df0, skills/nemo-mbridge-perf-moe-comm-overlap/SKILL.md).
 */
export const overlapOfRuns = 0.7

/** A layout that something was published of. */
export interface PublishedLayout {
  readonly id: string
  readonly source: string
  readonly split: 'fit' | 'test'
  /** The software, which release of it, and the year that it ran in. */
  readonly stack: string
  readonly release: string
  readonly year: number
  /** Why the row cannot be compared, known before any prediction. */
  readonly leftOut?: string
  /** Rows that share it are one configuration measured again. */
  readonly group?: string
  /** A name of fixtures/models, or the architecture where the catalogue has none with it. */
  readonly model: string | Architecture
  readonly chip: string
  readonly chips: number
  readonly slices?: number
  /** Where the machine's was not the catalogue's. */
  readonly network?: NetworkOverride
  /** What its chips were held to, where that is less than they draw. */
  readonly powerCapWatts?: number
  readonly mesh: Partial<Mesh>
  readonly zeroStage: ZeroStage
  readonly microbatchTokens?: number
  readonly pipelineSchedule?: ScheduleName
  readonly virtualStages?: number
  readonly rematerialization?: string
  /** Pieces that logits were computed in; the default of its frameworks where absent. */
  readonly lossChunks?: number
  /** How layers with experts were run, as the recipe of that release has it. */
  readonly expertRecipe?: ExpertRecipeName
  /** How tensor ranks held experts, where that is not what is assumed of the chip. */
  readonly expertTensor?: Assumptions['expertTensor']
  /** One microbatch forwards beside another backwards, where that is no part of it. */
  readonly dispatchOverlap?: true
  /** What of the model the cost model has no place for: compared, and sets no constant. */
  readonly unmodelled?: string
  /** What of its memory the cost model has no place for. */
  readonly unmodelledMemory?: string
  /** bf16 where absent; gradients as the chip's frameworks have them. */
  readonly compute?: ElementType
  /** What the source calls it, where that says more. */
  readonly numerics?: string
  readonly gradients?: ElementType
  /** Weights in bf16 without an fp32 copy, and moments of their type; fp32 states where absent. */
  readonly states?: 'bf16'
  /** How residual activations lie between blocks: over the sequence where absent. */
  readonly residual?: Residual
  /** What of the chips, or of what software hides, was otherwise than is assumed of them: caveats say why. */
  readonly assumed?: Readonly<
    Partial<
      Pick<Assumptions, 'hbmEfficiency' | 'overlapCriticalPath' | 'narrowDispatch' | 'expertBufferFactor'>
    >
  >
  /** Gradients were added to their buffers by kernels of their own. */
  readonly accumulatedApart?: true
  /** Gradients were reduced and stages sent to each other while nothing else ran. */
  readonly exchangesAlone?: true
  /** Layers by stage, where the software cut otherwise than the planner would. */
  readonly stageLayers?: readonly number[]
  /** Today's where absent. */
  readonly attention?: AttentionKernel
  readonly batchSequences: number
  readonly sequenceLength: number
}

export interface PublishedRun extends PublishedLayout {
  readonly stepTimeSeconds: number
}

const fixtures = new URL('../../../fixtures/', import.meta.url)
const residuals: Residuals = JSON.parse(readFileSync(new URL('residuals.json', fixtures), 'utf8'))

export function publishedRows<Row extends PublishedLayout>(name: string): readonly Row[] {
  const lines = readFileSync(new URL(`measurements/${name}.jsonl`, fixtures), 'utf8')
    .trim()
    .split('\n')
  return lines.map((line): Row => JSON.parse(line))
}

/** Dense models; mixtures of experts and long sequences are other files of the same rows. */
export function publishedRuns(
  name: 'dense-training' | 'expert-training' | 'long-training' = 'dense-training',
): readonly PublishedRun[] {
  return publishedRows(name)
}

const known = new Map<string, Plan | null>()
const stacks = publishedStacks().filter(({ runs }) => runs === 'training')

/** As its own software runs, and its layers with experts as they were run; as asked where there are no constants of that. Null where the layout as published cannot be run: a row that the model has no place for. */
export function predicted(run: PublishedLayout): Plan | null {
  const plan = known.has(run.id) ? (known.get(run.id) ?? null) : prediction(run, ownConstants(run))
  known.set(run.id, plan)
  return plan
}

/** As a request is answered that names no software. */
export function predictedAsAsked(run: PublishedLayout): Plan | null {
  const stack = usualStack(stacks, 'training', { name: run.chip }, [])
  return prediction(run, stack ? stackAssumptions(stack, run.compute ?? usualType) : {}, false)
}

/** Under other constants than its software's; of training. */
export function predictedUnder(run: PublishedLayout, constants: Partial<Assumptions>): Plan | null {
  return prediction(run, constants)
}

export function ownConstants(run: PublishedLayout): Partial<Assumptions> {
  const stack =
    stacks.find((own) => fittedBy(own, run)) ?? usualStack(stacks, 'training', { name: run.chip }, [])
  if (!stack) return {}
  return {
    ...stackAssumptions(stack, run.compute ?? usualType, run.expertRecipe),
    ...(run.dispatchOverlap ? { overlapDispatch: overlapOfRuns } : {}),
  }
}

function prediction(
  run: PublishedLayout,
  constants: Partial<Assumptions> = {},
  namesSoftware = true,
): Plan | null {
  const problem = problemOf(run, constants, namesSoftware)
  if (!problem) return null
  const answer = evaluate(problem, sketchOf(run), unsolved)
  return 'plan' in answer ? answer.plan : null
}

/** Null where the catalogue has no such cluster. */
export function problemOf(
  run: PublishedLayout,
  constants: Partial<Assumptions>,
  namesSoftware = true,
): Problem | null {
  const { chips, slices, network, powerCapWatts } = run
  const chip = { ...catalogueChip(run.chip), ...present({ powerCapWatts }) }
  const resolution = resolveCluster({ chip, chips, slices, network })
  if ('problem' in resolution) return null
  return {
    model: typeof run.model === 'string' ? catalogueModel(run.model) : transformer(run.id, run.model),
    cluster: resolution.cluster,
    workload: {
      mode: 'train',
      batchTokens: run.batchSequences * run.sequenceLength,
      sequenceLength: run.sequenceLength,
      optimizer: 'adamw',
    },
    memoryBudget: chip.hbmBytes,
    precision: {
      weights: 'bf16',
      compute: run.compute ?? 'bf16',
      kvCache: 'bf16',
      gradients: run.gradients ?? usualGradients(chip.kind),
      optimizer: run.states ?? 'fp32',
    },
    asked: {},
    constraints: {},
    assumptions: {
      ...calibrated(chip.kind, {
        ...chip.efficiency,
        attention: attentionOf(run.attention, run.chip, chip.efficiency),
      }),
      ...constants,
      ...settingsOf(run),
    },
    objective: 'stepTime',
    top: 1,
    residuals,
    namesSoftware,
  }
}

export function sketchOf(run: PublishedLayout): PlanSketch {
  const { microbatchTokens, pipelineSchedule, virtualStages, rematerialization, stageLayers } = run
  return {
    mesh: { ...unitMesh, ...run.mesh },
    zeroStage: zeroStageOf(run),
    ...(microbatchTokens === undefined ? {} : { microbatchTokens }),
    ...(pipelineSchedule === undefined ? {} : { pipelineSchedule }),
    ...(virtualStages === undefined ? {} : { virtualStages }),
    ...(rematerialization === undefined ? {} : { rematerialization }),
    ...(stageLayers === undefined ? {} : { stageLayers }),
  }
}

/** What it ran with, where that is not what software on its chip is assumed to do. */
export function settingsOf(
  run: PublishedLayout,
): Partial<
  Pick<
    Assumptions,
    | 'lossChunks'
    | 'masterWeights'
    | 'fp8Share'
    | 'residual'
    | 'fusedAccumulation'
    | 'overlapPrefetched'
    | 'hbmEfficiency'
    | 'overlapCriticalPath'
    | 'expertTensor'
  >
> {
  const { chip, lossChunks, states, residual, accumulatedApart, exchangesAlone, assumed } = run
  const { expertTensor } = run
  return {
    ...assumed,
    ...(expertTensor ? { expertTensor } : {}),
    ...(lossChunks ? { lossChunks } : {}),
    ...(states ? { masterWeights: false } : {}),
    ...(scaledByTensor(run) && scalesBlocks(catalogueChip(chip)) ? { fp8Share: fp8ShareByTensor } : {}),
    ...(residual ? { residual } : {}),
    ...(accumulatedApart ? { fusedAccumulation: false } : {}),
    ...(exchangesAlone ? { overlapPrefetched: 0 } : {}),
  }
}

/** Megatron-Bridge's tables and file names of its recipes: current scaling of fp8. */
function scaledByTensor({ compute, numerics = '' }: PublishedLayout): boolean {
  return compute === 'fp8' && /current|-CS$/.test(numerics)
}

export function usualGradients(kind: Chip['kind']): ElementType {
  return kind === 'gpu' ? 'fp32' : 'bf16'
}

/** Weights that are sharded over fsdp are so in ZeRO-3. */
export function zeroStageOf({ zeroStage, mesh }: Pick<PublishedLayout, 'zeroStage' | 'mesh'>): ZeroStage {
  return zeroStage === 0 && (mesh.fsdp ?? 1) > 1 ? 3 : zeroStage
}

export function catalogueChip(name: string): Chip {
  const record: ChipRecord = JSON.parse(readFileSync(new URL(`hardware/${name}.json`, fixtures), 'utf8'))
  return chipOf(record, 'calibrated')
}

export function catalogueModel(name: string): Transformer {
  const record: { readonly architecture: Spelling } = JSON.parse(
    readFileSync(new URL(`models/${name}.json`, fixtures), 'utf8'),
  )
  return spelledOut(name, record.architecture)
}

/** An evaluation needs no programme solved. */
const unsolved = () => ({ status: 'unsolved', reason: 'crashed' }) as const

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const [low = Number.NaN, high = Number.NaN] = [sorted[middle - 1], sorted[middle]]
  return sorted.length % 2 === 0 ? (low + high) / 2 : high
}
