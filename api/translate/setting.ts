/** Everything in a problem but its workload: model, chips, memory, precision, assumptions. */
import type { Activity } from '../../src/assumptions/stack.ts'
import { compact } from '../../src/compact.ts'
import { leastOf } from '../../src/constraint.ts'
import type { Chip } from '../../src/hardware/chip.ts'
import { peakOf } from '../../src/hardware/peak.ts'
import type { AskedSetting } from '../../src/problem.ts'
import { usualType } from '../../src/recipe/element-type.ts'
import type { Bytes } from '../../src/units.ts'
import type { Catalogue } from '../catalogue.ts'
import { faultyValue, meaning } from '../problems.ts'
import type { MemoryBudget } from '../schemas/given/memory-budget.ts'
import type { OptimizeRequest } from '../schemas/optimize.ts'
import { assumptionsOf, basisOf, namesSoftware, runByOf, saidOf, stackWarnings } from './assumptions.ts'
import { hardwareOf } from './hardware.ts'
import { resolvedModel } from './model/model.ts'
import { otherRecipeOf } from './other-recipe.ts'
import { precisionOf } from './precision.ts'
import { pricedAs } from './prices.ts'
import { trainedBy } from './trained-by.ts'

export interface ResolvedSetting {
  readonly setting: AskedSetting
  readonly warnings: readonly string[]
}

export function settingOf(request: OptimizeRequest, catalogue: Catalogue): ResolvedSetting {
  const { constraints, objective, top, distinct } = request
  const resolved = resolvedModel(request.model, catalogue)
  const { cluster, asked, warnings } = hardwareOf(request.hardware, basisOf(request.assumptions), catalogue)
  const { chip } = cluster
  const { precision, warnings: ofPrecision } = precisionOf(request, chip, resolved)
  if (peakOf(chip, precision.compute) === undefined) {
    const types = Object.keys(chip.peakFlopsPerSecond)
    const detail = `${chip.name} does not compute in ${precision.compute}; it does in ${types.join(', ')}. Without precision.compute weights in less are unpacked to bf16`
    const pointer = '/precision/compute'
    const own = types.includes(usualType) ? [usualType] : types
    throw faultyValue('impossible-combination', { pointer, detail, ...meaning(pointer, own) })
  }
  refuseChips(constraints.chips, cluster.chips)
  const runs = activityOf(request.workload)
  const costed = { runs, model: resolved.transformer, precision, cluster }
  const assumptions = assumptionsOf(request.assumptions, chip, catalogue, costed)
  const ofStack = stackWarnings(request.assumptions, assumptions, chip, runs, catalogue)
  const { model, warnings: ofFurther } = trainedBy(resolved.transformer, runs, assumptions, chip)
  const setting: AskedSetting = {
    model,
    cluster,
    asked,
    memoryBudget: budgetOf(request.memoryBudget, chip),
    precision,
    checkpoints: resolved.checkpoints,
    constraints,
    assumptions,
    ...runByOf(request.assumptions, chip, catalogue, costed),
    ...otherRecipeOf(request.assumptions, chip, catalogue, costed),
    // What Megatron-LM keeps of narrow weights depends on where the states are, so that a suggestion of them is tried as it will be answered.
    statesOnHost: assumptionsOf(
      { ...saidOf(request.assumptions), optimizerOnHost: true },
      chip,
      catalogue,
      costed,
    ),
    objective,
    top,
    distinct,
    residuals: catalogue.residuals,
    namesSoftware: namesSoftware(request.assumptions),
    recipes: catalogue.recipes,
  }
  const ofPrice = objective === 'costPerToken' ? pricedAs(chip, catalogue) : []
  const ofBudget = compact(budgetWarning(request.memoryBudget, chip))
  return {
    setting,
    warnings: [
      ...resolved.warnings,
      ...ofFurther,
      ...ofPrecision,
      ...warnings,
      ...ofBudget,
      ...ofStack,
      ...ofPrice,
    ],
  }
}

export function activityOf({ mode }: Pick<OptimizeRequest['workload'], 'mode'>): Activity {
  return mode === 'train' ? 'training' : 'inference'
}

/** The constraint on chips in use has to allow a number that is available. */
function refuseChips(constraint: OptimizeRequest['constraints']['chips'], chips: number): void {
  const least = constraint === undefined ? 1 : leastOf(constraint)
  if (least <= chips) return
  const pointer = '/constraints/chips'
  const detail = `constraints.chips asks for at least ${least} chips, but there are ${chips}`
  throw faultyValue('impossible-combination', { pointer, detail, ...meaning(pointer, [chips]) })
}

const defaultFraction = 1

function budgetOf(budget: MemoryBudget | undefined, chip: Chip): Bytes {
  const asked = budget?.bytesPerChip ?? (budget?.fraction ?? defaultFraction) * chip.hbmBytes
  if (asked >= 1 && asked <= chip.hbmBytes) return asked
  const amount = asked < 1 ? 'leave no room for anything on' : 'are more than'
  const detail = `${asked} bytes ${amount} the ${chip.hbmBytes} bytes of HBM that ${chip.name} has`
  const pointer = '/memoryBudget/bytesPerChip'
  throw faultyValue('impossible-combination', { pointer, detail, ...meaning(pointer, [chip.hbmBytes]) })
}

/** A budget that was probably written in gigabytes or megabytes. It is taken as it stands: nothing says that it cannot be meant. */
function budgetWarning(budget: MemoryBudget | undefined, { name, hbmBytes }: Chip): string | null {
  const bytes = budget?.bytesPerChip
  if (bytes === undefined || bytes * 1000 > hbmBytes) return null
  const power = Math.floor(Math.log(hbmBytes / bytes) / Math.log(1000))
  const meant = Number((bytes * 1000 ** power).toPrecision(12))
  return `memoryBudget.bytesPerChip is in bytes: ${bytes} are less than a thousandth of the memory of ${name}. Did you mean ${meant}?`
}
