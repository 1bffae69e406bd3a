/**
 * Models whose layers of experts SGLang runs only with all tokens on all ranks (`--moe-a2a-backend none`), by the catalogue's names.
 * Source: sgl-project/sglang, python/sglang/srt/models: gpt_oss.py raises "forward_deepep branch not implemented yet" (up to v0.5.19),
 * llama4.py and mixtral.py add up all tensor ranks after the experts, as if no token had been sent; deepseek_v2.py, qwen2_moe.py,
 * qwen3_moe.py, glm4_moe.py and minimax_m2.py have a path for tokens that are sent.
 */
import type { Rule } from '../../rules/rule.ts'
import type { Serving } from '../server/serving.ts'

const unsent: ReadonlySet<string> = new Set([
  ...['gpt-oss-20b', 'gpt-oss-120b', 'llama-4-scout', 'llama-4-maverick', 'mixtral-8x7b', 'mixtral-8x22b'],
])

export const unsentModelsRule: Rule<Serving> = {
  broken: ({ experts, model }) => experts?.sends === true && unsent.has(model.name),
  says: ({ model }) => `SGLang does not send tokens of ${model.name} to their experts (--moe-a2a-backend)`,
}
