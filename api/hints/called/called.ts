/**
 * Other names for the keys of a request: in Megatron-LM, torchtitan, MaxText, DeepSpeed, vLLM, SGLang, TensorRT-LLM,
 * Hugging Face configs, papers and conversation. None is accepted; the error for such a key says which one is meant.
 * Case, and characters other than letters and digits, do not count, so that `tensor-parallel-size` and
 * `tensorParallelSize` are one name.
 */
import { listed } from '../name.ts'
import { collectiveKeys } from './collective.ts'
import { hardwareKeys } from './hardware.ts'
import { modelKeys } from './model.ts'
import { planKeys } from './plan.ts'
import { settingKeys } from './setting.ts'
import { workloadKeys } from './workload.ts'

export const called = listed({
  ...planKeys,
  ...hardwareKeys,
  ...workloadKeys,
  ...settingKeys,
  ...modelKeys,
  ...collectiveKeys,
})
