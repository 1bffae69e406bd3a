/**
 * Megatron-LM flags. Its ranks are tensor x context x data x pipeline, where data is what is left of the world size;
 * parameters and optimizer states are sharded over data and context together:
 *
 *   ZeRO-0   nothing
 *   ZeRO-1   --use-distributed-optimizer
 *   ZeRO-2   --use-megatron-fsdp, optim_grads
 *   ZeRO-3   --use-megatron-fsdp, optim_grads_params; our `data` is its number of distributed optimizer instances
 *            (HSDP)
 *
 * Experts are spread over ranks of data (experts.ts).
 *
 * Megatron-FSDP works with tensor and context parallelism, but not with a pipeline. Source: NVIDIA/Megatron-LM
 * core_v0.19.0 (version.ts), megatron/training/arguments.py, megatron/core/transformer/transformer_config.py,
 * docs/user-guide/features/megatron_fsdp.md and, on pipelines, the scripts of examples/multimodal_dev.
 */

import { compact } from '../../compact.ts'
import { scalesBlocks } from '../../hardware/peak.ts'
import type { Launch } from '../launch.ts'
import { bridgeStart } from '../megatron-bridge/start.ts'
import { lastHostNote } from '../run/notes.ts'
import { runRefusal } from '../run/rules.ts'
import type { Run } from '../run/run.ts'
import { torchrun } from '../run/torchrun.ts'
import { written } from '../settings/settings.ts'
import { type Start, shellWords, type Word } from '../start.ts'
import { recurrenceNote } from './attention.ts'
import { detailNote } from './details.ts'
import { megatronExpertRecipe, recipeVariable } from './expert-recipe.ts'
import { megatronExpertNotes } from './experts.ts'
import { cutsInPattern, hybridProgram } from './hybrid.ts'
import { madeUpData, madeUpNotes } from './made-up-data.ts'
import { remainderNotes } from './moments.ts'
import { narrowWeightNotes } from './narrow-weights.ts'
import { megatronRules } from './rules.ts'
import { layoutSettings, modelSettings } from './settings.ts'
import { megatronSharding } from './states.ts'
import { tensorOverlapNote } from './tensor-overlap.ts'
import { megatronVersion } from './version.ts'

export function megatron(run: Run): Launch<readonly string[]> {
  const refusal = runRefusal(megatronRules, run)
  if (refusal.unsupported.length > 0) return refusal
  const layout = written(layoutSettings, run)
  const flags = [...written(modelSettings, run), ...layout]
  const notes = compact(
    connectionNote(run),
    remainderNotes(run),
    narrowWeightNotes(run),
    detailNote(run),
    recurrenceNote(run),
    megatronExpertNotes(run),
    madeUpNotes(run),
    megatronExpertRecipe(run)?.notes,
    tensorOverlapNote(run),
    lastHostNote(run),
  )
  const variables = variablesOf(run)
  const start = megatronStart(run, flags, layout, variables)
  const bridge = cutsInPattern(run) ? null : bridgeStart(run, layout, variables)
  return { flags, start, ...(bridge ? { more: { 'megatron-bridge': bridge } } : {}), notes }
}

function variablesOf(run: Run): string {
  const set = compact(oneConnection(run) && 'CUDA_DEVICE_MAX_CONNECTIONS=1', recipeVariable(run))
  return set.map((one) => `${one} `).join('')
}

function megatronStart(run: Run, flags: readonly Word[], layout: readonly Word[], variables: string): Start {
  const own = shellWords([...flags, ...madeUpData(run)])
  const program = run.model.layerPattern === undefined ? 'pretrain_gpt.py' : hybridProgram
  return {
    version: megatronVersion,
    command: `${variables}${torchrun(run.problem.cluster)} ${program} ${own}`,
    files: [],
    parallelism: shellWords(layout),
  }
}

/** On GPUs before Blackwell, tensor and context parallelism need kernels to run in order. */
function oneConnection({ mesh, zeroStage, problem: { cluster } }: Run): boolean {
  return mesh.tensor * mesh.context > 1 && !megatronSharding[zeroStage] && !scalesBlocks(cluster.chip)
}

function connectionNote(run: Run): string | null {
  const variable = 'CUDA_DEVICE_MAX_CONNECTIONS'
  if (megatronSharding[run.zeroStage]) return `Megatron-LM: leave ${variable} unset; Megatron-FSDP refuses 1.`
  if (!oneConnection(run)) return null
  return `Megatron-LM: ${variable}=1 is for GPUs before Blackwell, as tensor and context parallelism need it.`
}
