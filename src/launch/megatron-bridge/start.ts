/**
 * A plan for Megatron Bridge: its recipe of the model, with all of it overridden that lays the model out. It is Megatron-LM that runs, so that what
 * that cannot run this cannot. Null where its configs of numbers do not say the plan's. Source: overrides.ts.
 */
import { madeUpData } from '../megatron/made-up-data.ts'
import { optionsOf } from '../read/options.ts'
import type { Run } from '../run/run.ts'
import { torchrun } from '../run/torchrun.ts'
import { type Start, shellWords } from '../start.ts'
import { madeUpOverrides, overridesOf } from './overrides.ts'
import { stemOf } from './recipes.ts'
import { bridgeVersion } from './version.ts'

/** `layout` are Megatron-LM's options without those of the model, `variables` what stands before its command. */
export function bridgeStart(run: Run, layout: readonly (string | number)[], variables: string): Start | null {
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
  const asked = shellWords([...data, ...overrides])
  return {
    version: bridgeVersion,
    command: `${variables}${torchrun(problem.cluster)} ${script} ${recipe} ${asked}`,
    files: [],
    parallelism: shellWords(overrides),
  }
}
