/** Enums of all names on the wire, each made from the rows of its table. */
import { z } from 'zod'
import { bases } from '../../src/assumptions/assumptions.ts'
import { chipKinds } from '../../src/hardware/chip.ts'
import { frameworks } from '../../src/launch/framework.ts'
import { attentionFlopsCounts } from '../../src/model/flops.ts'
import { attentionKinds } from '../../src/model/spelling.ts'
import { modes, phaseModes } from '../../src/modes/names.ts'
import { elementTypes } from '../../src/recipe/element-type.ts'
import { expertRecipes } from '../../src/recipe/expert-recipes.ts'
import { optimizers } from '../../src/recipe/optimizers.ts'
import { policies } from '../../src/recipe/policies.ts'
import { activationCounts, recomputations } from '../../src/recipe/policy.ts'
import { schedules } from '../../src/recipe/schedules.ts'
import { movements, passes } from '../../src/sharding/move.ts'
import { contextLayouts } from '../../src/sharding/tables/context-layout.ts'
import { residualShardings } from '../../src/sharding/tables/training-layout.ts'

export const activationCount = z.enum(activationCounts)
export const attentionFlopsCount = z.enum(attentionFlopsCounts)
export const attentionKind = z.enum(attentionKinds)
export const basis = z.enum(bases)
export const chipKind = z.enum(chipKinds)
export const contextLayoutName = z.enum(contextLayouts)
export const elementType = z.enum(elementTypes)
export const expertRecipeName = z.enum(expertRecipes.map(({ name }) => name))
export const frameworkName = z.enum(frameworks)
export const modeName = z.enum(modes)
export const movement = z.enum(movements)
export const optimizerName = z.enum(optimizers.map(({ name }) => name))
export const passName = z.enum(passes)
export const phaseMode = z.enum(phaseModes)
export const policyName = z.enum(policies.map(({ name }) => name))
export const recomputation = z.enum(recomputations)
export const residualSharding = z.enum(residualShardings)
export const scheduleName = z.enum(schedules.map(({ name }) => name))
