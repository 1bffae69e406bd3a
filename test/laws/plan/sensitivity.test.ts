/** The stated sensitivities of a plan match how the answer changes if the machine has more or less of a resource. */

import type fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { evaluate } from '../../../src/evaluate.ts'
import type { Cluster, Network } from '../../../src/hardware/cluster/cluster.ts'
import { inferenceModel } from '../../../src/inference/model.ts'
import { searchPhase } from '../../../src/inference/search.ts'
import { phaseOf } from '../../../src/modes/phases.ts'
import { optimize } from '../../../src/optimize.ts'
import { costing } from '../../../src/plan/account/costing.ts'
import type { Sensitivity } from '../../../src/plan/answer.ts'
import { inferenceSensitivity } from '../../../src/plan/inference/sensitivity.ts'
import { sensitivity } from '../../../src/plan/sensitivity/sensitivity.ts'
import type { PhaseProblem, Problem } from '../../../src/problem.ts'
import { contextModels, modelFor } from '../../../src/search/layouts/context-models.ts'
import { searchAll } from '../../../src/search/search-all.ts'
import { solver } from '../../inference-problem.ts'
import { forAll } from '../../law.ts'
import { legal } from '../../legal.ts'
import { sketchedLayout } from './sketched-plan.ts'
import { inferenceQuestions, tightQuestions, trainingQuestions } from './small-questions.ts'

const change = 0.01

type Changed = (cluster: Cluster, factor: number) => Cluster

/** Spelled out here again, so that what the answer scales is checked too. */
const resources: Readonly<Record<'flops' | 'hbmBandwidth', Changed>> = {
  flops: ({ chip, ...cluster }, factor) => {
    const { bf16 = 0, ...peaks } = chip.peakFlopsPerSecond
    return { ...cluster, chip: { ...chip, peakFlopsPerSecond: { ...peaks, bf16: bf16 * factor } } }
  },
  hbmBandwidth: ({ chip, ...cluster }, factor) => ({
    ...cluster,
    chip: { ...chip, hbmBytesPerSecond: chip.hbmBytesPerSecond * factor },
  }),
}

function networks(part: (level: number, name: string) => boolean): Changed {
  return (cluster, factor) => {
    const of = (level: number, name: string) => (part(level, name) ? factor : 1)
    const scaled = (network: Network): Network =>
      network.kind === 'torus'
        ? {
            ...network,
            linkBytesPerSecond: network.linkBytesPerSecond * of(0, 'ici'),
            dcnBytesPerSecondPerChip: network.dcnBytesPerSecondPerChip * of(1, 'dcn'),
          }
        : {
            ...network,
            tiers: network.tiers.map((tier, level) => ({
              ...tier,
              bytesPerSecondPerChip: tier.bytesPerSecondPerChip * of(level, tier.name),
            })),
          }
    return { ...cluster, network: scaled(cluster.network) }
  }
}

/** The best there is, by a name of its own. */
interface Best {
  readonly seconds: number
  readonly name: string
}

interface Answer extends Best {
  readonly sensitivity: Sensitivity
}

function trained(question: Problem, asked: true): Answer | null
function trained(question: Problem): Best | null
function trained(question: Problem, asked = false): Best | null {
  const models = contextModels(question)
  const [best] = searchAll(models, 1).candidates
  if (!best) return null
  const model = modelFor(models, best)
  const { cluster, groups: _groups, score: _score, ...chosen } = best
  const told = asked ? { sensitivity: sensitivity(model, best, null) } : {}
  return { seconds: costing(model, best).stepTime, name: JSON.stringify([cluster.chips, chosen]), ...told }
}

function inferred(question: PhaseProblem, asked: true): Answer | null
function inferred(question: PhaseProblem): Best | null
function inferred(question: PhaseProblem, asked = false): Best | null {
  const model = inferenceModel(question)
  const [best] = searchPhase(phaseOf(model, question), 1).candidates
  if (!best) return null
  const { mesh, placement, layouts, pass, seconds } = best
  const told = asked ? { sensitivity: inferenceSensitivity(model, best) } : {}
  return { seconds, name: JSON.stringify([mesh, placement, layouts.map(({ name }) => name), pass]), ...told }
}

/** How many of the elasticities could be compared: where the best plan stays the best on either side. */
function compare<Question extends { readonly cluster: Cluster }>(
  question: Question,
  { name, sensitivity }: Answer,
  answered: (question: Question) => Best | null,
): { readonly all: number; readonly compared: number } {
  const said = [
    ...(['flops', 'hbmBandwidth'] as const).map((one) => [resources[one], sensitivity[one]] as const),
    ...Object.entries(sensitivity.networks).map(
      ([network, own]) => [networks((_, other) => other === network), own] as const,
    ),
  ]
  let compared = 0
  for (const [changed, elasticity] of said) {
    const [more, less] = [1 + change, 1 - change].map((factor) =>
      answered({ ...question, cluster: changed(question.cluster, factor) }),
    )
    if (!more || !less) throw new Error('A plan is lost by one per cent of a bandwidth')
    if (more.name !== name || less.name !== name) continue
    const slope = Math.log(more.seconds / less.seconds) / Math.log((1 + change) / (1 - change))
    expect(Math.abs(slope - elasticity)).toBeLessThanOrEqual(1e-9)
    compared++
  }
  return { all: said.length, compared }
}

function compareAll<Question extends { readonly cluster: Cluster }>(
  questions: fc.Arbitrary<Question>,
  asked: (question: Question) => Answer | null,
  answered: (question: Question) => Best | null,
  count: number,
): void {
  const sum = { all: 0, compared: 0 }
  forAll(count, [questions], (question) => {
    const answer = asked(question)
    if (!answer) return
    expectNetworksOf(question.cluster, answer.sensitivity)
    const { all, compared } = compare(question, answer, answered)
    sum.all += all
    sum.compared += compared
  })
  expect(sum.compared).toBeGreaterThan(sum.all / 2)
}

/** Named as on the machine, and told once more in the words of the contract. */
function expectNetworksOf({ chip, chips, network }: Cluster, { networks, ...said }: Sensitivity): void {
  const torus = network.kind === 'torus' && network.slices > 1 ? ['ici', 'dcn'] : ['ici']
  // Eight to a node, and more nodes to a leaf switch than there are in any of these questions.
  const tiers = chips > 8 ? ['nvlink', 'leaf'] : ['nvlink']
  expect(Object.keys(networks)).toEqual(chip.kind === 'tpu' ? torus : tiers)
  const [inside, between = 0] = Object.values(networks)
  expect(said.iciBandwidth).toBe(inside)
  expect(said.dcnBandwidth).toBe(between)
}

describe('elasticities', () => {
  it('are differences of the best step of training', () => {
    compareAll(trainingQuestions, (question) => trained(question, true), trained, 4)
  })

  it('are differences of the best pass of inference', () => {
    compareAll(inferenceQuestions, (question) => inferred(question, true), inferred, 12)
  })
})

describe('the next step of memory', () => {
  it('is where the plan, what it recomputes chosen again, is faster, and not a byte before', () => {
    let steps = 0
    forAll(6, [tightQuestions], (question) => {
      const { plans, sensitivity } = optimize(question, solver)
      const [best] = plans
      if (!best || !sensitivity) return
      const { memory, memoryStep } = sensitivity
      const within = (memoryBudget: number) => {
        return legal(evaluate({ ...question, memoryBudget }, sketchedLayout(best), solver)).plan
          .stepTimeSeconds
      }
      if (!memoryStep) {
        expect(memory).toBe(0)
        expect(within(1e15)).toBeGreaterThanOrEqual(best.stepTimeSeconds * (1 - 1e-12))
        return
      }
      steps++
      const { budgetBytes, stepTimeSeconds } = memoryStep
      const { memoryBudget } = question
      expect(stepTimeSeconds).toBeLessThan(best.stepTimeSeconds)
      expect(within(budgetBytes)).toBe(stepTimeSeconds)
      expect(within(budgetBytes - 2)).toBeGreaterThanOrEqual(best.stepTimeSeconds * (1 - 1e-12))
      const slope = Math.log(stepTimeSeconds / best.stepTimeSeconds) / Math.log(budgetBytes / memoryBudget)
      expect(memory).toBeCloseTo(slope, 12)
      const again = optimize({ ...question, memoryBudget: budgetBytes }, solver).plans[0]
      expect(again?.stepTimeSeconds).toBeLessThanOrEqual(stepTimeSeconds * (1 + 1e-12))
    })
    expect(steps).toBeGreaterThan(0)
  })
})
