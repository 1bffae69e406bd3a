/**
 * Commands and flags to train a plan with each framework: Megatron-LM and torchtitan on GPUs, MaxText on GPUs and TPUs.
 * A framework that cannot run the plan gets reasons in place of flags. `notes` have what flags cannot say.
 */

import type { Assumptions } from '../assumptions/assumptions.ts'
import type { Settled } from '../assumptions/run-by.ts'
import { compact } from '../compact.ts'
import type { CostModel } from '../cost/model.ts'
import { present } from '../fields.ts'
import type { Chip } from '../hardware/chip.ts'
import { divisorsOf } from '../hardware/cluster/divisors.ts'
import type { Problem } from '../problem.ts'
import { elementBytes } from '../recipe/element-type.ts'
import { faults, keeps } from '../rules/rule.ts'
import type { Accepts, Candidate, OpenLayout } from '../search/layouts/candidate.ts'
import { unitMesh } from '../sharding/axis.ts'
import { type Framework, ofKind, type Trainer, trainers } from './framework.ts'
import { isAsked, told } from './launch.ts'
import { expertRanks, narrowDispatchNote } from './run/experts.ts'
import { type RunRules, runFaults } from './run/rules.ts'
import { cutRun, launchRun, layoutRun, meshRun, type Run, wholeRun } from './run/run.ts'
import { type Assuming, type TrainingLauncher, trainingLaunchers } from './trainers.ts'

export function launch(model: CostModel, candidate: Candidate): Readonly<Record<string, unknown>> {
  const run = launchRun(model, candidate)
  const launches = Object.entries(trainingLaunchers)
    .filter(([, { chips }]) => chips.includes(run.problem.cluster.chip.kind))
    .map(([name, { launch: start, spellsModel }]) => ({ name, launched: start(run), spellsModel }))
  const { frameworks } = run.problem.assumptions
  const noted = launches.flatMap(({ name, launched, spellsModel }) =>
    isAsked(frameworks, name) && 'flags' in launched ? [{ notes: launched.notes, spellsModel }] : [],
  )
  const spelling = noted.flatMap(({ spellsModel }) => spellsModel ?? [])
  return told(
    launches.map(({ name, launched }) => [name, launched]),
    () =>
      compact(
        paddingNote(run),
        memoryNote(run),
        narrowDispatchNote(run),
        noted.flatMap(({ notes }) => notes),
        scopeNotes(run, spelling),
      ),
  )
}

/** What the command of each framework settles of the assumptions, whatever the plan is costed with: how tokens are sent to their experts. */
export function settledBy(model: CostModel, candidate: Candidate): Settled {
  const run = launchRun(model, candidate)
  if (expertRanks(run).ranks === 1) return {}
  const rows = Object.entries(trainingLaunchers)
  return Object.fromEntries(
    rows.map(([name, { dispatch }]) => {
      const { usesKernels, holds } = dispatch
      return [name, { hierarchicalDispatch: usesKernels(run), ...present({ expertTensor: holds }) }]
    }),
  )
}

/**
 * What is assumed where these trainers may launch a plan: of experts, what none of them has is not, and what all do alike is; of all else, as
 * the first of them.
 */
export function assumedUnder(
  names: readonly Framework[],
  question: Pick<Problem, 'model'> & Assuming,
): Partial<Assumptions> {
  const { kind } = question.cluster.chip
  const able = ofKind(trainers, names)
    .map((name) => trainingLaunchers[name])
    .filter(({ chips }) => chips.includes(kind))
  const [first] = able
  return {
    ...first?.assumes(question),
    ...(question.model.experts ? ofExperts(able, question) : {}),
  }
}

/** Why a model is planned without its layers that predict further tokens: none of the trainers that may launch plans on such chips has any. Null where one has. */
export function furtherLayersLacking(names: readonly Framework[], kind: Chip['kind']): string | null {
  const able = ofKind(trainers, names)
    .map((name) => trainingLaunchers[name])
    .filter(({ chips }) => chips.includes(kind))
  return able.every(({ furtherLayers }) => furtherLayers !== undefined)
    ? (able[0]?.furtherLayers ?? null)
    : null
}

function ofExperts(
  able: readonly TrainingLauncher[],
  question: Pick<Problem, 'model'> & Assuming,
): Partial<Assumptions> {
  const [holds, ...others] = new Set(able.map(({ dispatch }) => dispatch.holds))
  return {
    ...(able.some(({ dispatch }) => dispatch.hasKernels(question)) ? {} : { hierarchicalDispatch: false }),
    ...(others.length === 0 ? present({ expertTensor: holds }) : {}),
  }
}

/**
 * Restricts a search to plans that one of the assumed frameworks can launch. Null for no restriction: if no framework
 * is assumed, or none of them can run the model on such chips in these element types, whatever the layout. Constraints,
 * budget and number of chips do not matter for that, so that more memory or more chips never make the first plan
 * slower.
 */
export function launchable(model: CostModel): Accepts | null {
  const { problem } = model
  const able = ableFrameworks(problem).map((name) => trainingLaunchers[name])
  if (able.length === 0) return null
  const mixed = able.map(({ mixes }) => model.policies.map(({ name }) => mixes.includes(name)))
  return {
    mixes: ({ policy, other }) => mixed.some((has) => has[policy] && has[other]),
    // Each of them shares out whole positions.
    contexts: divisorsOf(problem.workload.sequenceLength),
    mesh: (mesh) => {
      const run = meshRun(problem, mesh)
      const left = able.filter(({ rules }) => keeps(rules.mesh, run))
      if (left.length === 0) return null
      return (layout) => {
        const open = layoutRun(problem, layout)
        return left.some(({ rules }) => keeps(rules.layout, open))
      }
    },
    cut: (cut) => able.some(({ rules }) => keeps(rules.cut, cut)),
    placements: (mesh) => {
      const own = able.map(({ places }) => places?.(problem.cluster, mesh) ?? null)
      return own.includes(null) ? null : own.flatMap((made) => made ?? [])
    },
    plans: (layout) => {
      const cut = cutRun(problem, layout)
      const left = able.filter(({ rules: { mesh, layout: ofLayout, cut: ofCut } }) => {
        return keeps(mesh, cut) && keeps(ofLayout, cut) && keeps(ofCut, cut)
      })
      if (left.length === 0) return null
      return (placement, mix) => {
        const run = wholeRun(model, cut, placement, mix)
        return left.some(({ rules }) => keeps(rules.plan, run))
      }
    },
  }
}

/** Whether any assumed framework can run the model on such chips in these element types, whatever the layout. */
export function runsAtAll(problem: Problem): boolean {
  return ableFrameworks(problem).length > 0
}

/** Assumed frameworks that can run some plan on a single chip, beside which none stands idle. */
function ableFrameworks(asked: Problem): readonly Trainer[] {
  const { assumptions, cluster } = asked
  const problem = { ...asked, cluster: { ...cluster, idleBeside: 0 } }
  return ofKind(trainers, assumptions.frameworks).filter((name) => {
    const { chips, rules } = trainingLaunchers[name]
    return chips.includes(cluster.chip.kind) && keeps(rules.mesh, meshRun(problem, unitMesh))
  })
}

/** For each assumed framework of such chips, why it cannot launch a plan; empty for one that can. */
export function launchRefusals(
  model: CostModel,
  candidate: Omit<Candidate, 'score'>,
): Readonly<Record<string, readonly string[]>> {
  const run = launchRun(model, candidate)
  return refusalsBy(model.problem, (rules) => runFaults(rules, run))
}

/** The same for a layout whose stages and placement are unknown. */
export function layoutRefusals(
  problem: Problem,
  layout: OpenLayout,
): Readonly<Record<string, readonly string[]>> {
  const run = layoutRun({ ...problem, cluster: layout.cluster }, layout)
  return refusalsBy(problem, (rules) => [...faults(rules.mesh, run), ...faults(rules.layout, run)])
}

function refusalsBy({ assumptions, cluster }: Problem, faultsOf: (rules: RunRules) => readonly string[]) {
  const asked = ofKind(trainers, assumptions.frameworks).filter((name) =>
    trainingLaunchers[name].chips.includes(cluster.chip.kind),
  )
  return Object.fromEntries(asked.map((name) => [name, faultsOf(trainingLaunchers[name].rules)]))
}

/** What no flags say: of norms, biases and positions, where known, all but those that are `spelling` the model out. */
function scopeNotes({ model: { experts, details } }: Run, spelling: readonly string[]): readonly string[] {
  if (details && spelling.length > 0) {
    return [
      `Data, tokenizer and learning rate are not part of a plan; norms, biases, kinds of positions and how a router scores are told to ${spelling.join(' and ')} alone.`,
    ]
  }
  return compact(
    experts && 'How a router scores experts and balances them is not part of a plan.',
    'Data, tokenizer, learning rate, norms, biases and kinds of positions are not part of a plan.',
  )
}

/** Notes that the batch is rounded up, as no framework runs partly empty batches. */
function paddingNote({ globalBatch, sequenceLength, replicas, microbatches, problem }: Run): string | null {
  const asked = problem.workload.batchTokens
  const sequences = asked / sequenceLength
  if (globalBatch === sequences) return null
  const share = replicas * microbatches
  const fewer = Math.floor(sequences / share) * share
  const parts = `${replicas} replicas${microbatches > 1 ? ` of ${microbatches} microbatches` : ''}`
  const even = fewer > 0 && fewer < globalBatch ? `${fewer} or ${globalBatch}` : globalBatch
  return `The batch of ${Number(sequences.toPrecision(6))} sequences (${asked} tokens) is rounded up to ${globalBatch}, which ${parts} divide: the command trains on all of them, while MFU, tokens per second and costs count those asked for. A batch of ${even} sequences is run as it is asked for.`
}

function memoryNote({ problem: { assumptions, precision } }: Run): string | null {
  const lacking = compact(
    !(assumptions.masterWeights || elementBytes[precision.weights] >= elementBytes.fp32) && 'master weights',
    !assumptions.gradientBuffer && 'a gradient buffer',
  )
  if (lacking.length === 0) return null
  return `The plan's memory is counted without ${lacking.join(' and ')}, which the frameworks keep.`
}
