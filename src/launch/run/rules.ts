/**
 * Why a framework cannot run a plan, by what has to be known to tell. Most rules need only the mesh, so that they apply
 * before anything is costed; almost all others need the layout, before layers are divided into stages.
 */
import { denseLayers } from '../../model/expert-layers.ts'
import type { ElementType } from '../../recipe/element-types.ts'
import { faults, type Rule, unwrittenAmong } from '../../rules/rule.ts'
import { refusedFor, type Unsupported } from '../launch.ts'
import type { CutRun, LayoutRun, MeshRun, Run } from './run.ts'

export interface RunRules {
  readonly mesh: readonly Rule<MeshRun>[]
  readonly layout: readonly Rule<LayoutRun>[]
  /** They read layers by stage alone, so that the search asks them before it costs a cut; what reads more is among the others. */
  readonly cut: readonly Rule<Pick<CutRun, 'stageLayers'>>[]
  readonly plan: readonly Rule<Run>[]
}

export function runFaults({ mesh, layout, cut, plan }: RunRules, run: Run): readonly string[] {
  return [...faults(mesh, run), ...faults(layout, run), ...faults(cut, run), ...faults(plan, run)]
}

export function runRefusal(rules: RunRules, run: Run): Unsupported {
  const { mesh, layout, cut, plan } = rules
  const unwritten = {
    mesh: unwrittenAmong(mesh),
    layout: unwrittenAmong(layout),
    cut: unwrittenAmong(cut),
    plan: unwrittenAmong(plan),
  }
  return refusedFor(runFaults(rules, run), runFaults(unwritten, run))
}

/** Rules of all frameworks: numbers that the book takes as real have to be whole. */
export const commonRules: RunRules = {
  mesh: [
    {
      broken: ({ model }) => model.attention.kvShareGroup > 1,
      says: 'keys and values that layers share are not mapped to flags',
    },
  ],
  layout: [
    {
      broken: ({ microbatch }) => !Number.isInteger(microbatch),
      says: ({ microbatch }) => `a microbatch of ${printed(microbatch)} sequences per replica is not whole`,
    },
  ],
  cut: [
    {
      broken: ({ stageLayers }) => !stageLayers.every(Number.isInteger),
      says: ({ stageLayers }) => `stages of ${printed(Math.max(...stageLayers))} layers are not whole`,
    },
  ],
  plan: [
    {
      broken: ({ recomputation }) => !Number.isInteger(recomputation.count),
      says: ({ recomputation: { other, count } }) =>
        `${other} on ${printed(count)} layers of a stage is not whole`,
    },
  ],
}

/** Matrices of experts, and of dense MLPs if some layer has one, have to divide evenly. */
export const widthRules: readonly Rule<MeshRun>[] = [
  {
    broken: ({ model, mesh: { tensor } }) => denseLayers(model) > 0 && model.dFf % tensor !== 0,
    says: ({ model, mesh: { tensor } }) => `tensor ${tensor} does not divide dFf ${model.dFf}`,
  },
  {
    broken: ({ model: { experts }, mesh: { tensor } }) =>
      experts !== null &&
      (experts.dFfExpert % tensor !== 0 || (experts.sharedExperts * experts.dFfExpert) % tensor !== 0),
    says: ({ model: { experts }, mesh: { tensor } }) =>
      `tensor ${tensor} does not divide dFfExpert ${experts?.dFfExpert}`,
  },
]

/** The framework places ranks on switches, and cannot place axes on a torus. */
export function switchedRule(framework: string): Rule<MeshRun> {
  return {
    broken: ({ problem }) => problem.cluster.network.kind === 'torus',
    says: `${framework} counts ranks behind switches; it does not place axes on a torus`,
  }
}

/** The framework has no option for computing the loss in pieces; a replacement kernel such as Liger's would do it. */
export function wholeLossRule(framework: string): Rule<MeshRun> {
  return {
    broken: ({ problem }) => problem.assumptions.lossChunks > 1,
    says: ({ problem }) =>
      `this release of ${framework} computes logits whole; the plan counts them in ${problem.assumptions.lossChunks} pieces`,
  }
}

/** The framework's master weights are whole fp32 numbers. */
export function wholeMastersRule(framework: string): Rule<MeshRun> {
  return {
    broken: ({ problem }) => problem.assumptions.masterRemainders,
    says: `${framework} keeps master weights whole, not the 16 bits that bf16 weights lack`,
  }
}

/** The framework runs attention and MLP one after the other. */
export function blockRule(framework: string): Rule<Pick<MeshRun, 'model'>> {
  return {
    broken: ({ model }) => model.parallelBlocks,
    says: `${framework} runs attention before the MLP, not beside it`,
  }
}

export const positionRule: Rule<MeshRun> = {
  broken: ({ model, sequenceLength }) =>
    model.learnedPositions > 0 && model.learnedPositions < sequenceLength,
  says: ({ model }) => `${model.learnedPositions} learned positions are fewer than a sequence has`,
}

/** The framework has bf16 mixed with fp32, and pure fp32; `narrow` are the types below 16 bits in which it multiplies weights in bf16. */
export function mixedTypesRule(framework: string, narrow = fp8Alone): Rule<MeshRun> {
  return {
    broken: ({ problem: { precision } }) =>
      !isMixed(precision, narrow) && !(precision.weights === 'fp32' && precision.compute === 'fp32'),
    says: ({ problem: { precision } }) =>
      `weights in ${precision.weights} with compute in ${precision.compute} are not mapped to ${framework}`,
  }
}

const fp8Alone: readonly ElementType[] = ['fp8']

export function isMixed(
  { weights, compute }: MeshRun['problem']['precision'],
  narrow: readonly ElementType[],
): boolean {
  return weights === 'bf16' && (compute === 'bf16' || narrow.includes(compute))
}

/** Interleaving processes microbatches in rounds of as many as there are stages. */
export const interleavingRule: Rule<LayoutRun> = {
  broken: ({ mesh, schedule, microbatches }) =>
    schedule.virtualStages > 1 && microbatches % mesh.pipeline !== 0,
  says: ({ mesh }) => `interleaving needs microbatches that ${mesh.pipeline} stages divide`,
}

export function attendsLocally({ model: { attention } }: MeshRun): boolean {
  return attention.window !== null && attention.globalEvery !== 1
}

function printed(value: number): string {
  return `${Number(value.toPrecision(4))}`
}
