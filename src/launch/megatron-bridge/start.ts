/**
 * Starts a plan with Megatron Bridge: its recipe for the model, with everything overridden that concerns the layout. As
 * Megatron-LM runs it, the same rules apply. Null if no precision config fits the plan. Source: overrides.ts.
 */
import { madeUpData } from '../megatron/made-up-data.ts'
import { optionsOf } from '../read/options.ts'
import type { Run } from '../run/run.ts'
import { torchrun } from '../run/torchrun.ts'
import { type Start, shellWords, type Word } from '../start.ts'
import { madeUpOverrides, overridesOf } from './overrides.ts'
import { stemOf } from './recipes.ts'
import { bridgeVersion } from './version.ts'

/** `layout` are Megatron-LM's options without those of the model; `variables` are environment settings before the command. */
export function bridgeStart(run: Run, layout: readonly Word[], variables: string): Start | null {
  const { problem, model } = run
  const overrides = overridesOf(optionsOf(layout.map(String)))
  if (!overrides) return null
  const stem = stemOf(model.name)
  const recipe = stem ? `--model ${stem}` : `--recipe "\${RECIPE:?a recipe of the model}"`
  const script = 'scripts/training/run_recipe.py'
  const data = [
    '--mode',
    'pretrain',
    '--dataset',
    'mock',
    ...madeUpOverrides(optionsOf(madeUpData(run).map(String))),
  ]
  const parallelism = shellWords(overrides)
  return {
    version: bridgeVersion,
    command: `${variables}${torchrun(problem.cluster)} ${script} ${recipe} ${shellWords(data)} ${parallelism}`,
    files: [],
    parallelism,
  }
}
