/** Published layouts since 2024, a configuration once, as its newest release ran it: what fixtures/recipes.json keeps. */
import { overlapOfRuns } from '../../src/assumptions/stack.ts'
import { type RecipeRecord, shapeOf } from '../../src/plan/certainty/recipes.ts'
import { unitMesh } from '../../src/sharding/axis.ts'
import { eraOf, groupedBy } from './compared.ts'
import {
  catalogueChip,
  catalogueModel,
  type PublishedLayout,
  predicted,
  publishedRows,
  usualGradients,
  zeroStageOf,
} from './run.ts'
import { rounded } from './summary.ts'

interface Row extends PublishedLayout {
  readonly model: string
  readonly stepTimeSeconds?: number
  readonly mfu?: number
}

const files = ['dense-training', 'long-training', 'expert-training', 'mfu-training'] as const

export function recipeRecords(): readonly RecipeRecord[] {
  const rows = files
    .flatMap((file) => publishedRows<Row>(file))
    .filter(({ model, year, leftOut }) => typeof model === 'string' && eraOf(year) === 'modern' && !leftOut)
    .filter(({ stepTimeSeconds, mfu }) => (stepTimeSeconds ?? mfu) !== undefined)
  const newest = [...groupedBy(rows, ({ group, id }) => group ?? id).values()].flatMap((alike) => {
    const [first] = [...alike].sort((a, b) => (a.release < b.release ? 1 : -1))
    return first ?? []
  })
  return newest.map(recipeOf)
}

function recipeOf(row: Row): RecipeRecord {
  const { source, stack, release, model, chip, chips, batchSequences, sequenceLength } = row
  const { microbatchTokens, pipelineSchedule, virtualStages, rematerialization, stepTimeSeconds, mfu } = row
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
      ...(rematerialization === undefined ? {} : { rematerialization }),
    },
    measured: stepTimeSeconds === undefined ? { mfu: mfu ?? Number.NaN } : { stepTimeSeconds },
    predicted: stepTimeSeconds === undefined ? plan && { mfu: rounded(plan.mfu) } : seconds,
  }
}

/** What `predicted` takes otherwise than a request has it that says nothing. */
function askedOf({
  chip,
  compute,
  gradients,
  states,
  slices,
  network,
  lossChunks,
  expertRecipe,
  dispatchOverlap,
}: Row): RecipeRecord['asked'] {
  const { kind } = catalogueChip(chip)
  const own = {
    ...(lossChunks ? { lossChunks } : {}),
    ...(states ? { masterWeights: false } : {}),
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
    ...(slices || network
      ? { hardware: { ...(slices ? { slices } : {}), ...(network ? { network } : {}) } }
      : {}),
    ...(Object.keys(own).length > 0 ? { assumptions: { basis: 'calibrated', ...own } } : {}),
  }
}

function figure(seconds: number): number {
  return Number(seconds.toPrecision(4))
}
