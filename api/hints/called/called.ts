/**
 * What a key of a request is called elsewhere: in Megatron-LM, torchtitan, MaxText, DeepSpeed, vLLM, SGLang, TensorRT-LLM,
 * Hugging Face configs, papers and talk. None of these is accepted: a request with one is told which key is meant. Case and what is no letter
 * or digit do not count, so that `tensor-parallel-size` and `tensorParallelSize` are one name.
 */
import { collectiveKeys } from './collective.ts'
import { hardwareKeys } from './hardware.ts'
import { modelKeys } from './model.ts'
import { planKeys } from './plan.ts'
import { settingKeys } from './setting.ts'
import { workloadKeys } from './workload.ts'

export const called: Readonly<Record<string, readonly string[]>> = {
  ...planKeys,
  ...hardwareKeys,
  ...workloadKeys,
  ...settingKeys,
  ...modelKeys,
  ...collectiveKeys,
}
