/**
 * What costs next to nothing in a model but has to be said when it is launched: how positions are rotated, norms, biases of queries,
 * keys and values, and how a router scores. Names and values are those of the config.json that Hugging Face keeps beside the weights;
 * what it does not state is the default of the class that reads it. Source: transformers, models/<model_type>/configuration_<model_type>.py.
 */
import { type Fields, isFields } from '../fields.ts'

export interface Details {
  /** Null for a model without rotary positions. */
  readonly rotary: Rotary | null
  /** Nothing says where a position is but the recurrence: no rotary positions, learned ones or biases. */
  readonly withoutPositions?: true
  readonly norm: Norm | null
  /** Queries and keys of each head are normed; in latent attention the latent vectors are. */
  readonly queryKeyNorm: boolean
  /** Queries, keys and values have biases, whether or not other matrices have them. */
  readonly queryKeyValueBiases: boolean
  readonly activation: string | null
  /** Attention has one learned logit for each head in its softmax. */
  readonly sinks: boolean
  readonly router: Router | null
  /** What else the model's family has, in words. */
  readonly peculiar: readonly string[]
}

export interface Rotary {
  readonly base: number
  /** Share of a head's width that is rotated. */
  readonly share: number
  /** Fields of the config's scaling, of the kind that it names; null when positions are used as trained. */
  readonly scaling: (Fields & { readonly kind: string }) | null
}

export interface Norm {
  readonly kind: 'rms' | 'layer'
  readonly epsilon: number
  /** Norm weights are stored less 1. */
  readonly aroundZero: boolean
}

export interface Router {
  readonly score: string
  /** Scores are a softmax over all experts, not only over those that are chosen. */
  readonly beforeChoice: boolean
  readonly scale: number
  /** Experts that get too few tokens are preferred by a bias. */
  readonly bias: boolean
  /** The experts of a token are in `kept` groups of the `of` that there are; null when they may be in any. */
  readonly groups: { readonly of: number; readonly kept: number } | null
  /** The loss that keeps experts balanced is taken over each sequence. */
  readonly evenBySequence: boolean
  readonly lossCoefficient: number
  /** A gate weighs what shared experts add. */
  readonly sharedGate: boolean
}

/** What a family has whatever its config says; the first row whose `types` match counts. */
interface FamilyDetails {
  readonly types: RegExp
  /** Its layers apply no rotary positions, whatever its config says of them. */
  readonly withoutPositions?: true
  /** Its norms are RMSNorm, whatever their epsilon is called. */
  readonly rms?: true
  readonly queryKeyNorm?: true
  readonly queryKeyValueBiases?: true
  readonly aroundZero?: true
  readonly sinks?: true
  readonly activation?: string
  readonly router?: Partial<Router>
  readonly peculiar?: readonly string[]
}

const families: readonly FamilyDetails[] = [
  { types: /^qwen2_moe/, queryKeyValueBiases: true, router: { sharedGate: true } },
  { types: /^qwen2/, queryKeyValueBiases: true },
  {
    types: /^qwen3_(next|5)/,
    ...{ queryKeyNorm: true, aroundZero: true },
    router: { sharedGate: true },
  },
  { types: /^qwen3/, queryKeyNorm: true },
  { types: /^gemma2/, aroundZero: true, peculiar: ['norms after attention and MLP', 'caps of logits'] },
  {
    types: /^gemma3/,
    ...{ aroundZero: true, queryKeyNorm: true },
    peculiar: ['norms after attention and MLP', 'a base of positions of its own in local layers'],
  },
  { types: /^gemma/, aroundZero: true },
  { types: /^nemotron$/, aroundZero: true },
  // Megatron-LM @d98e8a64dd, examples/post_training/modelopt/conf/nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16.sh, has the router and its loss.
  {
    types: /^nemotron_h/,
    ...{ withoutPositions: true, rms: true },
    router: { score: 'sigmoid', bias: true, evenBySequence: true, lossCoefficient: 1e-4 },
  },
  { types: /^glm4_moe/, router: { score: 'sigmoid', bias: true, evenBySequence: true } },
  {
    types: /^llama4/,
    router: { score: 'sigmoid' },
    peculiar: ['layers without positions', 'norms of queries and keys without weights'],
  },
  { types: /^(apertus|hunyuan|dots1)/, queryKeyNorm: true },
  { types: /^seed_oss/, queryKeyValueBiases: true },
  { types: /^minimax_m2/, router: { bias: true }, peculiar: ['norms of queries and keys over all heads'] },
  {
    types: /^granitemoehybrid/,
    withoutPositions: true,
    peculiar: ['multipliers of embeddings, attention, residuals and logits'],
  },
  { types: /^granite/, peculiar: ['multipliers of embeddings, attention, residuals and logits'] },
  {
    types: /^olmo[23]/,
    peculiar: ['norms after attention and MLP', 'norms of queries and keys over all heads'],
  },
  { types: /^olmoe/, peculiar: ['norms of queries and keys over all heads'] },
  // Its config has a coefficient of 0.9, the class's default; Megatron-LM's examples/gptoss have no such loss.
  { types: /^gpt_oss/, sinks: true, activation: 'clamped quick-gelu', router: { lossCoefficient: 0 } },
]

/** Null when the config says nothing of positions and norms, and its family is none that has something of its own. */
export function detailsIn(config: Fields): Details | null {
  const text = isFields(config.text_config) ? config.text_config : config
  const type = String(text.model_type ?? config.model_type ?? '')
  const family: Omit<FamilyDetails, 'types'> = families.find(({ types }) => types.test(type)) ?? {}
  const latent = number(text.kv_lora_rank) !== null
  const details = {
    rotary: family.withoutPositions ? null : rotaryIn(text),
    ...(family.withoutPositions ? { withoutPositions: family.withoutPositions } : {}),
    norm: normIn(text, family),
    queryKeyNorm: family.queryKeyNorm ?? (latent || (text.use_qk_norm === true && !/^llama4/.test(type))),
    queryKeyValueBiases:
      family.queryKeyValueBiases ?? (/^glm4_moe/.test(type) && text.attention_bias === true),
    activation:
      family.activation ??
      word(text.hidden_activation ?? text.hidden_act ?? text.mlp_hidden_act ?? text.activation_function),
    sinks: family.sinks ?? false,
    router: routerIn(text, family.router ?? {}),
    peculiar: family.peculiar ?? [],
  }
  return details.rotary || details.norm || details.peculiar.length > 0 ? details : null
}

function rotaryIn(text: Fields): Rotary | null {
  const parameters = isFields(text.rope_parameters) ? text.rope_parameters : {}
  const scaling = isFields(text.rope_scaling) ? text.rope_scaling : parameters
  const base = number(text.rope_theta ?? parameters.rope_theta ?? text.rotary_emb_base)
  if (base === null) return null
  const kind = word(scaling.rope_type ?? scaling.type)
  const stated = number(text.partial_rotary_factor ?? parameters.partial_rotary_factor ?? text.rotary_pct)
  const [turned, headDim] = [number(text.rotary_dim), number(text.head_dim)]
  const share = stated ?? (turned && headDim ? turned / headDim : null)
  return {
    base,
    share: share ?? 1,
    scaling: kind === null || kind === 'default' ? null : { ...scaling, kind },
  }
}

function normIn(text: Fields, family: Omit<FamilyDetails, 'types'>): Norm | null {
  const aroundZero = family.aroundZero ?? false
  const rms = number(text.rms_norm_eps)
  const epsilon =
    rms ?? number(text.layer_norm_eps ?? text.layer_norm_epsilon ?? text.norm_eps ?? text.norm_epsilon)
  return epsilon === null
    ? null
    : { kind: rms === null && !family.rms ? 'layer' : 'rms', epsilon, aroundZero }
}

function routerIn(text: Fields, family: Partial<Router>): Router | null {
  const active = number(text.num_experts_per_tok ?? text.experts_per_token)
  if (active === null) return null
  const score = family.score ?? word(text.scoring_func) ?? 'softmax'
  const [of, kept] = [number(text.n_group) ?? 1, number(text.topk_group)]
  return {
    score,
    beforeChoice: score === 'softmax' && text.norm_topk_prob === false,
    scale: number(text.routed_scaling_factor) ?? 1,
    bias: text.topk_method === 'noaux_tc',
    groups: of > 1 && kept !== null ? { of, kept } : null,
    evenBySequence: text.seq_aux === true,
    lossCoefficient: number(text.router_aux_loss_coef ?? text.aux_loss_alpha) ?? 0,
    sharedGate: false,
    ...family,
  }
}

function number(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}

function word(value: unknown): string | null {
  return typeof value === 'string' && /^[\w-]{1,40}$/.test(value) ? value : null
}
