/**
 * What a practitioner looks for in a layout, or a deployment, that is as good as others: that it uses what is paid for,
 * has been run before, is simple, and leaves room.
 */
import type { Chip } from '../../hardware/chip.ts'
import { type Axis, activeAxes, axes, matrixAxes, restAxes } from '../../sharding/axis.ts'
import { counted } from '../explain/figures.ts'
import type { Beyond, Divided } from './measured-range.ts'
import type { Preference } from './preferred.ts'
import { isPublished, isPublishedKind, type Recipe } from './recipes.ts'

/** How a model lies on chips. */
export interface Laid extends Divided {
  readonly placement: readonly Lying[]
}

/** The part of a listed plan that preferences look at. */
export interface Listed extends Laid {
  readonly idleChips: number
  readonly headroom: { readonly memory: number }
}

interface Lying {
  readonly axis: Axis
  readonly on: string
  readonly physical: readonly number[]
}

/** A listed deployment: instances that prefill and instances that generate, or the same ones. */
export interface ListedDeployment {
  readonly idleChips: number
  readonly disaggregated: boolean
  readonly prefill: Laid
  readonly generate: Laid
}

/** What preferences need beside the plans: the chip, and what was published for the model on it. */
export interface Custom {
  readonly chip: Chip
  readonly recipes: readonly Recipe[]
  /** How far a layout lies beyond all measured runs; null where that is not known of any. */
  readonly beyond: ((divided: Divided) => Beyond) | null
}

export function trainingPreferences(custom: Custom): readonly Preference<Listed>[] {
  const { chip, recipes } = custom
  return [
    wholeChips,
    {
      of: ({ mesh }) => (isPublished(recipes, mesh) ? 1 : 0),
      says: () =>
        'a published run of this model on these chips divides it the same way (recipes), and none divides it as the first plan does',
    },
    customary(custom, alone),
    {
      // What is published as it stands was preferred for that already.
      of: ({ mesh }) => (isPublishedKind(recipes, mesh) && !isPublished(recipes, mesh) ? 1 : 0),
      says: () =>
        'a published run of this model on these chips divides it over the same axes, and none does over those of the first plan',
    },
    ...simple(chip, alone),
    roomy,
    fewTogether(alone),
  ]
}

/** Preferences among plans that prefill, or that generate. */
export function phasePreferences(chip: Chip): readonly Preference<Listed>[] {
  const custom = { chip, recipes: [], beyond: null }
  return [
    wholeChips,
    customary(custom, alone),
    unstaged(alone),
    ...simple(chip, alone),
    roomy,
    fewTogether(alone),
  ]
}

export function deploymentPreferences(chip: Chip): readonly Preference<ListedDeployment>[] {
  const both = ({ prefill, generate }: ListedDeployment) => [prefill, generate]
  return [
    wholeChips,
    {
      of: ({ disaggregated }) => (disaggregated ? 0 : 1),
      says: () =>
        'the same servers do both phases: there is no router, and no caches are sent from prefill to generation',
    },
    customary({ chip, recipes: [], beyond: null }, both),
    unstaged(both),
    ...simple(chip, both),
    fewTogether(both),
  ]
}

const wholeChips: Preference<{ readonly idleChips: number }> = {
  of: ({ idleChips }) => (idleChips === 0 ? 1 : 0),
  says: () => 'it uses all chips, and the first plan leaves some idle',
}

/** It matters that some memory is free, not how much. */
const roomy: Preference<Listed> = {
  of: ({ headroom }) => (headroom.memory >= 1.1 ? 1 : 0),
  says: () => 'a tenth of the memory budget is free, unlike in the first plan',
}

type Parts<Plan> = (plan: Plan) => readonly Laid[]

const alone: Parts<Laid> = (plan) => [plan]

function customary<Plan>(custom: Custom, parts: Parts<Plan>): Preference<Plan> {
  return {
    of: (plan) => -total(parts(plan), (part) => uncustomary(part, custom)),
    says: (_own, _other, first) => {
      const unmeasured = parts(first).flatMap((part) => custom.beyond?.(part).says ?? [])
      return unmeasured.length > 0
        ? `closer to measured runs: the first plan has ${unmeasured.join(', and ')}`
        : `closer to published runs: tensor parallelism within a ${custom.chip.system.kind === 'torus' ? 'slice' : 'node'}, unlike in the first plan`
    },
  }
}

function unstaged<Plan>(parts: Parts<Plan>): Preference<Plan> {
  return {
    of: (plan) => (parts(plan).some(({ mesh }) => mesh.pipeline > 1) ? 0 : 1),
    says: () => 'no token passes through the stages of a pipeline, unlike in the first plan',
  }
}

function simple<Plan>(chip: Chip, parts: Parts<Plan>): readonly Preference<Plan>[] {
  return [
    {
      of: (plan) => -total(parts(plan), ({ mesh }) => activeAxes(mesh).length),
      says: (own, other) =>
        `${-own} mesh ${own === -1 ? 'axis is' : 'axes are'} in use, ${-other} in the first plan`,
    },
    {
      of: (plan) => -total(parts(plan), (part) => crossing(part, chip).length),
      says: (own, other) =>
        `${-own} of the axes that divide the model ${-own === 1 ? 'spans' : 'span'} more than a node or slice, ${-other} in the first plan`,
    },
  ]
}

/** Chips that work on one sequence together: one of them that fails or lags holds up the others. */
function fewTogether<Plan>(parts: Parts<Plan>): Preference<Plan> {
  const together = ({ mesh }: Laid) =>
    axes.reduce((chips, axis) => (restAxes.includes(axis) ? chips : chips * mesh[axis]), 1)
  return {
    of: (plan) => -Math.max(...parts(plan).map(together)),
    says: (own, other) =>
      `a sequence passes through ${counted(-own, 'chip')}, in the first plan through ${-other}`,
  }
}

/** How far a plan goes beyond what is customary: tensor axes that span nodes, and octaves beyond all measured runs. */
function uncustomary(plan: Laid, { chip, beyond }: Custom): number {
  const across = crossing(plan, chip).filter((axis) => matrixAxes.includes(axis)).length
  return across + (beyond?.(plan).octaves ?? 0)
}

/** Axes that divide the model, as opposed to replicas, and that span more than a node or slice. */
function crossing({ placement }: Laid, { system }: Chip): readonly Axis[] {
  return placement
    .filter(({ axis }) => !restAxes.includes(axis))
    .filter(({ on, physical }) => (system.kind === 'torus' ? on === 'dcn' : Math.max(...physical) > 0))
    .map(({ axis }) => axis)
}

function total<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + of(item), 0)
}
