/**
 * What a framework cannot run, by what has to be known of a run to see it: most of it falls on the mesh, before anything is
 * costed, and nearly all of the rest on the layout, before its layers are cut into stages.
 */
import { expertLayers } from '../../model/expert-layers.ts'
import { faults, keeps, type Rule } from '../../rules/rule.ts'
import type { CutRun, LayoutRun, MeshRun, Run } from './run.ts'

export interface RunRules {
  readonly mesh: readonly Rule<MeshRun>[]
  readonly layout: readonly Rule<LayoutRun>[]
  readonly cut: readonly Rule<CutRun>[]
  readonly plan: readonly Rule<Run>[]
}

export function keepsAll({ mesh, layout, cut, plan }: RunRules, run: Run): boolean {
  return keeps(mesh, run) && keeps(layout, run) && keeps(cut, run) && keeps(plan, run)
}

export function runFaults({ mesh, layout, cut, plan }: RunRules, run: Run): readonly string[] {
  return [...faults(mesh, run), ...faults(layout, run), ...faults(cut, run), ...faults(plan, run)]
}

/** Of any framework: what the book takes for real numbers has to be whole. */
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

/** Matrices of experts, and of a dense MLP where some layer has one, are sharded evenly. */
export const widthRules: readonly Rule<MeshRun>[] = [
  {
    broken: ({ model, mesh: { tensor } }) => expertLayers(model) < model.layers && model.dFf % tensor !== 0,
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

/** Of a framework that counts ranks behind switches. */
export function switchedRule(framework: string): Rule<MeshRun> {
  return {
    broken: ({ problem }) => problem.cluster.network.kind === 'torus',
    says: `${framework} counts ranks behind switches; it does not place axes on a torus`,
  }
}

/** Of a framework whose blocks run one after the other. */
export function blockRule(framework: string): Rule<MeshRun> {
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

/** Of a framework that mixes bf16 with fp32, or has fp32 alone. */
export function mixedTypesRule(framework: string): Rule<MeshRun> {
  return {
    broken: ({ problem: { precision } }) =>
      !isMixed(precision) && !(precision.weights === 'fp32' && precision.compute === 'fp32'),
    says: ({ problem: { precision } }) =>
      `weights in ${precision.weights} with compute in ${precision.compute} are not mapped to ${framework}`,
  }
}

export function isMixed({ weights, compute }: MeshRun['problem']['precision']): boolean {
  return weights === 'bf16' && (compute === 'bf16' || compute === 'fp8')
}

/** Interleaving deals microbatches out in rounds of as many as there are stages. */
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
