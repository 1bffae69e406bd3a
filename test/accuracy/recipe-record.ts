/** Published layouts since 2024, each configuration once in its newest release: the content of fixtures/recipes.json. */
import { loadCatalogue } from '../../api/catalogue.ts'
import { present } from '../../src/fields.ts'
import { transformer } from '../../src/model/architecture.ts'
import { type RecipeRecord, shapeOf } from '../../src/plan/certainty/recipes.ts'
import type { Plan } from '../../src/plan/plan.ts'
import { unitMesh } from '../../src/sharding/axis.ts'
import { eraOf, groupedBy } from './compared.ts'
import { isBeyond } from './memory/timed.ts'
import { rounded } from './summary.ts'
import { attentionOf } from './training/attention-kernels.ts'
import {
  catalogueChip,
  catalogueModel,
  overlapOfRuns,
  type PublishedLayout,
  predicted,
  publishedRows,
  settingsOf,
  usualGradients,
  zeroStageOf,
} from './training/run.ts'

interface Row extends PublishedLayout {
  readonly stepTimeSeconds?: number
  readonly mfu?: number
}

interface NamedRow extends Row {
  readonly model: string
}

const files = ['dense-training', 'long-training', 'expert-training', 'told-training'] as const

/** The first of those of one shape: releases of one architecture share their recipes. */
const namesByShape = new Map(
  [...loadCatalogue().models.values()].reverse().map(({ transformer: own }) => [shapeOf(own), own.name]),
)

export function recipeRecords(): readonly RecipeRecord[] {
  const rows = files
    .flatMap((file) => publishedRows<Row>(file))
    .filter(({ year, leftOut }) => eraOf(year) === 'modern' && !leftOut)
    .filter(({ stepTimeSeconds, mfu }) => (stepTimeSeconds ?? mfu) !== undefined)
    .flatMap(named)
  const newest = [...groupedBy(rows, ({ group, id }) => group ?? id).values()].flatMap((alike) => {
    const [first] = [...alike].sort((a, b) => (a.release < b.release ? 1 : -1))
    return first ?? []
  })
  return newest.map(recipeOf)
}

/** A source's own architecture under the name that the catalogue has it by; none where it does not. */
function named(row: Row): readonly NamedRow[] {
  const { model, id } = row
  if (typeof model === 'string') return [{ ...row, model }]
  const name = namesByShape.get(shapeOf(transformer(id, model)))
  return name === undefined ? [] : [{ ...row, id: `${id} as ${name}`, model: name }]
}

function recipeOf(row: NamedRow): RecipeRecord {
  const { source, stack, release, model, chip, chips, batchSequences, sequenceLength } = row
  const { microbatchTokens, pipelineSchedule, virtualStages, stageLayers, rematerialization } = row
  const { stepTimeSeconds, mfu } = row
  const plan = predicted(row)
  const seconds = plan && { stepTimeSeconds: figure(plan.stepTimeSeconds) }
  return {
    shape: shapeOf(catalogueModel(model)),
    source: source.replace(/ \(copies: [^)]*\)/, ''),
    ...{ software: stack, release, model, chip, chips, batchSequences, sequenceLength },
    compute: row.numerics ?? row.compute ?? 'bf16',
    asked: askedOf(row),
    plan: {
      mesh: { ...unitMesh, ...row.mesh },
      zeroStage: zeroStageOf(row),
      ...(microbatchTokens === undefined ? {} : { microbatchTokens }),
      ...(pipelineSchedule === undefined ? {} : { pipelineSchedule }),
      ...(virtualStages === undefined ? {} : { virtualStages }),
      ...(stageLayers === undefined ? {} : { stageLayers }),
      ...(rematerialization === undefined ? {} : { rematerialization }),
    },
    ...beyondBudget(row, plan),
    measured: stepTimeSeconds === undefined ? { mfu: mfu ?? Number.NaN } : { stepTimeSeconds },
    predicted: stepTimeSeconds === undefined ? plan && { mfu: rounded(plan.mfu) } : seconds,
  }
}

function beyondBudget(
  { unmodelledMemory: unmodelled }: Row,
  plan: Plan | null,
): Pick<RecipeRecord, 'beyondBudget'> {
  if (!plan || !isBeyond(plan.memoryBytes)) return {}
  const times = Number((plan.memoryBytes.total / plan.memoryBytes.budget).toPrecision(3))
  return { beyondBudget: { times, ...(unmodelled ? { unmodelled } : {}) } }
}

/** What `predicted` takes otherwise than a request has it that says nothing. */
function askedOf(row: Row): RecipeRecord['asked'] {
  const { chip, compute, gradients, states, attention, expertRecipe, dispatchOverlap } = row
  const { slices, network, powerCapWatts } = row
  const hardware = present({ slices, network, powerCapWatts })
  const { kind, efficiency } = catalogueChip(chip)
  const own = {
    ...settingsOf(row),
    ...(attention ? { attentionEfficiency: attentionOf(attention, chip, efficiency) } : {}),
    ...(expertRecipe ? { expertRecipe } : {}),
    ...(dispatchOverlap ? { overlapDispatch: overlapOfRuns } : {}),
  }
  return {
    precision: {
      weights: 'bf16',
      compute: compute ?? 'bf16',
      gradients: gradients ?? usualGradients(kind),
      optimizer: states ?? 'fp32',
    },
    ...(Object.keys(hardware).length > 0 ? { hardware } : {}),
    ...(Object.keys(own).length > 0 ? { assumptions: { basis: 'calibrated', ...own } } : {}),
  }
}

function figure(seconds: number): number {
  return Number(seconds.toPrecision(4))
}
