/**
 * The type of a recurrence's states, which plans count in float32 (model/recurrence.ts). SGLang has them so unless told otherwise. vLLM takes by
 * default what the config of a Qwen3.5 says, and for others, such as Qwen3-Next, the model's own type. Source: vllm-project/vllm,
 * vllm/model_executor/models/config.py (Qwen3_5ForConditionalGenerationConfig), layers/mamba/mamba_utils.py (gated_delta_net_state_dtype).
 */
import type { ReadingContext } from '../read/reading.ts'
import type { Serving } from './serving.ts'

const counted = 'float32'

/** What a server is told, where the model has states. */
export function stateType({ model }: Pick<Serving, 'model'>): string | null {
  return model.recurrence ? counted : null
}

/** The note on what a command says of it, or on the default; `type` is asked only of a model with states. */
export function stateTypeNote(
  option: string,
  type: () => string | null,
  usual: string | null,
  { model }: ReadingContext,
): string | null {
  if (!model?.recurrent) return null
  const said = type()
  if (said === counted) return null
  if (said === null || said === 'auto') return usual && `${option} is not said: ${usual}`
  return `${option} ${said}: states are counted in ${counted}, of 4 bytes`
}
