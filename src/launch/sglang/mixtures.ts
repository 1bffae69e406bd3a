/**
 * What SGLang's file of each mixture has: attention by sequences (--enable-dp-attention), and a path for tokens that are sent to
 * their experts (any --moe-a2a-backend but none). Models are the catalogue's.
 * A file has attention by sequences where heads are shared out over attention's own group and a LayerCommunicator gathers tokens
 * before the experts. Without, each group would attend over its own sequences with heads of all ranks. Source: sgl-project/sglang,
 * python/sglang/srt/models: deepseek_v2, qwen2_moe, qwen3_moe, glm4_moe, minimax_m2, gpt_oss 009c680, kimi_linear 0220422, llama4 003cb21,
 * and nemotron_h since pull request 24955 (May 2026) do; mixtral 7f1f5bc, grok 031ad4c, dbrx 00b08c4, hunyuan 0818561, olmoe 067e8f4, phimoe
 * 008b79d and dots1 ba97b11 do not. gpt_oss raises "forward_deepep branch not implemented yet" (up to v0.5.19); llama4, mixtral, grok, dbrx,
 * hunyuan, olmoe, phimoe and dots1 add up all tensor ranks after the experts, as if no token had been sent; DeepGEMM, which takes what DeepEP
 * brings, has no squared ReLU (layers/moe/moe_runner/deep_gemm.py asserts "silu" or "situ"), as Nemotron's experts have.
 */
import type { Rule } from '../../rules/rule.ts'
import type { Serving } from '../server/serving.ts'

interface Mixture {
  readonly names: RegExp
  readonly groups: boolean
  readonly sends: boolean
}

const mixtures: readonly Mixture[] = [
  { names: /^(deepseek|kimi|glm|minimax|qwen)/, groups: true, sends: true },
  { names: /^(gpt-oss|llama-4|nemotron-3)/, groups: true, sends: false },
  { names: /^(mixtral|grok-1|dbrx|hunyuan|olmoe|phi-3\.5-moe|dots\.llm1)/, groups: false, sends: false },
]

const mixtureOf = ({ model }: Serving) => mixtures.find(({ names }) => names.test(model.name))

export const mixtureRules: readonly Rule<Serving>[] = [
  {
    broken: (serving) => serving.experts?.sends === true && mixtureOf(serving)?.sends === false,
    says: ({ model }) => `SGLang does not send tokens of ${model.name} to their experts (--moe-a2a-backend)`,
  },
  {
    broken: (serving) => serving.attentionGroups > 1 && mixtureOf(serving)?.groups === false,
    says: ({ model }) => `SGLang has no attention by sequences for ${model.name} (--enable-dp-attention)`,
  },
]

/** Of a model that is in no row. */
export function groupsNote(serving: Serving): string | false {
  if (serving.attentionGroups === 1 || mixtureOf(serving)) return false
  return "SGLang has attention by sequences where a model's file has it (LayerCommunicator): of this model it was not looked up."
}
