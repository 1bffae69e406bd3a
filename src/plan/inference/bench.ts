/**
 * The workbench on which plans of a model are accounted for, one for all of them: whoever writes on it sets the mesh and the pass first, and what it
 * keeps is known by these.
 */
import { createWorkbench } from '../../inference/workbench.ts'
import { rememberedOf } from '../../known.ts'

export const benchOf = rememberedOf(createWorkbench)
