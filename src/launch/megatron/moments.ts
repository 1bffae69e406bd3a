/**
 * Megatron-LM's precision-aware optimizer, which needs the distributed optimizer: Adam's moments in fewer than 32 bits, and of
 * master weights the 16 bits that bf16 weights lack. No option says the latter: it is so wherever FusedAdam has the bf16 weights
 * themselves, thus not on the host, not in Megatron-FSDP, and not in fp8 but with delayed scaling of weights that are kept in bf16.
 *
 * Moments are written alike, as `precision.optimizer` has one type. Source: as flags.ts, megatron/training/arguments.py,
 * megatron/core/optimizer/{__init__,optimizer_config,distrib_optimizer}.py (`store_param_remainders`,
 * `use_precision_aware_optimizer_no_fp8_or_ds_fp8`); in Megatron Bridge types have torch's names.
 */
import { scalesBlocks } from '../../hardware/peak.ts'
import type { Problem } from '../../problem.ts'
import type { ElementType } from '../../recipe/element-types.ts'
import type { OptimizerName } from '../../recipe/optimizers.ts'
import type { Run } from '../run/run.ts'
import { given, setting, word } from '../settings/settings.ts'
import { fp8Recipe, tensorwise } from './fp8-recipe.ts'

/** What moments are kept in unless something else is said. */
export const whole: ElementType = 'fp32'

export const megatronMoments: readonly ElementType[] = [whole, 'bf16', 'fp8']

/** Optimizers whose states it keeps on the host, or in fewer than 32 bits. */
export const megatronPlaced: readonly OptimizerName[] = ['adamw']

export function areNarrow(moments: ElementType): boolean {
  return moments !== whole
}

export const momentSettings = {
  isAware: setting('--use-precision-aware-optimizer', isAware, given),
  firstMoments: setting('--exp-avg-dtype', narrowType, word),
  secondMoments: setting('--exp-avg-sq-dtype', narrowType, word),
  masters: setting('--main-params-dtype', null, word),
  // What Megatron Bridge can say, and no option of Megatron-LM: master weights are not kept as remainders.
  mastersWhole: setting('--no-store-param-remainders', null, given),
}

/** The optimizer on the host takes it too. */
function isAware(run: Run): boolean {
  const { optimizerOnHost, masterRemainders } = run.problem.assumptions
  return optimizerOnHost || masterRemainders || narrowType(run) !== null
}

function narrowType({ problem: { precision, assumptions } }: Run): ElementType | null {
  return areNarrow(precision.optimizer) && !assumptions.optimizerOnHost ? precision.optimizer : null
}

/** Whether master weights can be kept as remainders: in fp8 with the recipe that is written for the chip (flags.ts). */
export function mayKeepRemainders({ precision, workload, assumptions, cluster }: Problem): boolean {
  const blocks = precision.compute === 'fp8' && scalesBlocks(cluster.chip)
  const offered = megatronPlaced.includes(workload.optimizer) && !assumptions.optimizerOnHost
  return offered && precision.weights === 'bf16' && !blocks
}

/** The precision-aware optimizer has no switch for what a plan may have counted whole. */
export function remainderNotes(run: Run): readonly string[] {
  const { problem, zeroStage } = run
  const { precision, assumptions } = problem
  const kept = areNarrow(precision.optimizer) && zeroStage === 1 && mayKeepRemainders(problem)
  return kept && !assumptions.masterRemainders && fp8Recipe(run) !== tensorwise
    ? [
        `With ${momentSettings.isAware.option}, Megatron-LM keeps 2 bytes of a master weight instead of the 4 that are counted: assumptions.masterRemainders counts 2.`,
      ]
    : []
}
