/**
 * Megatron-LM's options for details of a model that cost nothing (model/details.ts): positions, norms, biases, how a
 * router scores. Options equal to its defaults are left out: a rotary base of 10000, epsilons of 1e-5, a softmax over
 * the chosen experts. The frequencies of Llama 3.1's scaling are built in; latent attention uses YaRN unless told
 * otherwise. Source: as flags.ts, megatron/training/argument_utils.py, and the models of
 * examples/post_training/modelopt/conf, examples/{llama,mixtral,gptoss} there and of yanring/Megatron-MoE-ModelZoo
 * @e8650517d6.
 */

import { compact } from '../../compact.ts'
import type { Details, Rotary, Router } from '../../model/details.ts'
import type { Transformer } from '../../model/transformer.ts'
import type { Run } from '../run/run.ts'
import type { Word } from '../start.ts'

export function positionFlags({ model, sequenceLength }: Run): readonly Word[] {
  const { learnedPositions, details } = model
  const rotary = details?.rotary ?? null
  const most = learnedPositions > 0 ? learnedPositions : sequenceLength
  const latent = model.attention.latent !== null
  const rotated = turnsAsYarn(rotary) && !latent ? 'yarn' : 'rope'
  const turned = details?.withoutPositions ? 'none' : rotated
  const kind = learnedPositions > 0 ? 'learned_absolute' : turned
  return compact(
    ['--position-embedding-type', kind, '--max-position-embeddings', most],
    rotary && learnedPositions === 0 && rotaryFlags(rotary, latent),
  )
}

function rotaryFlags(rotary: Rotary, latent: boolean): readonly Word[] {
  const { base, share, scaling } = rotary
  const yarn = turnsAsYarn(rotary)
  return compact(
    base !== 10_000 && ['--rotary-base', base],
    share !== 1 && ['--rotary-percent', share],
    scaling?.kind === 'llama3' && ['--use-rope-scaling', '--rope-scaling-factor', told(scaling.factor)],
    yarn && scaling && yarnFlags(scaling, latent),
    latent && !yarn && ['--rope-type', 'rope'],
  )
}

function turnsAsYarn(rotary: Rotary | null): boolean {
  return rotary?.scaling?.kind === 'yarn'
}

/** Latent attention takes YaRN's frequencies from its own class, which assumes training at 4096 positions. */
function yarnFlags(scaling: NonNullable<Rotary['scaling']>, latent: boolean): readonly Word[] {
  const numbers = (rows: readonly (readonly [option: string, field: string])[]) =>
    rows.flatMap(([option, field]) => {
      const value = scaling[field]
      return typeof value === 'number' ? [option, told(value)] : []
    })
  const own = numbers(scaled)
  if (latent) return own
  const original = scaling.original_max_position_embeddings
  const positions =
    typeof original === 'number' ? ['--yarn-original-max-position-embeddings', Math.round(original)] : []
  const whole = scaling.truncate === false ? ['--no-yarn-correction-range-round-to-int'] : []
  return [...own, ...positions, ...numbers(bent), ...whole]
}

const scaled = [
  ['--rotary-scaling-factor', 'factor'],
  ['--mscale', 'mscale'],
  ['--mscale-all-dim', 'mscale_all_dim'],
] as const

const bent = [
  ['--yarn-beta-fast', 'beta_fast'],
  ['--yarn-beta-slow', 'beta_slow'],
] as const

/** Without details, a gated model is taken to have RMSNorm, as almost all have. */
export function normFlags({ model: { gatedMlp, details } }: Run): readonly Word[] {
  const norm = details?.norm ?? null
  const rms = norm ? norm.kind === 'rms' : gatedMlp
  return compact(
    rms && ['--normalization', 'RMSNorm'],
    norm && norm.epsilon !== 1e-5 && ['--norm-epsilon', told(norm.epsilon)],
    norm?.aroundZero && '--apply-layernorm-1p',
    details?.queryKeyNorm && '--qk-layernorm',
  )
}

export function activationFlags({ model: { gatedMlp, experts, details } }: Run): readonly Word[] {
  const activation = details?.activation ?? null
  if (activation === 'relu2') return compact('--squared-relu', experts && '--use-fused-weighted-squared-relu')
  if (!gatedMlp) return []
  // The activation of gpt-oss; limit and offset are those of its class.
  if (activation !== clamped) return ['--swiglu']
  return ['--quick-geglu', '--glu-linear-offset', '1.0', '--activation-func-clamp-value', '7.0']
}

const clamped = 'clamped quick-gelu'

export function attentionDetailFlags({ details }: Transformer): readonly Word[] {
  return compact(
    details?.queryKeyValueBiases && '--add-qkv-bias',
    details?.sinks && ['--softmax-type', 'learnable'],
  )
}

export function routerFlags({ details }: Transformer): readonly Word[] {
  const router = details?.router
  if (!router) return []
  return compact(
    router.score !== 'softmax' && ['--moe-router-score-function', router.score],
    router.beforeChoice && '--moe-router-pre-softmax',
    router.scale !== 1 && ['--moe-router-topk-scaling-factor', router.scale],
    router.bias && '--moe-router-enable-expert-bias',
    router.sharedGate && '--moe-shared-expert-gate',
    balanceFlags(router),
  )
}

function balanceFlags({ evenBySequence, lossCoefficient }: Router): readonly Word[] {
  if (lossCoefficient === 0) return []
  return compact(evenBySequence && ['--moe-router-load-balancing-type', 'seq_aux_loss'], [
    '--moe-aux-loss-coeff',
    told(lossCoefficient),
  ])
}

/** What Megatron-LM has no option for, or what is not known of the model. */
export function detailNote({ model }: Run): string | null {
  const { details, learnedPositions, name } = model
  const unknown = !details || !(details.rotary || details.norm || details.withoutPositions)
  const without = details ? missing(details, model.gatedMlp) : []
  const lacks = `Megatron-LM has no option for ${without.join(', nor for ')} of ${name}: Megatron Bridge runs it as it is.`
  if (unknown) {
    if (learnedPositions > 0) return null
    const defaults = `Megatron-LM: how positions of ${name} turn, what its norms and biases are and how its router scores is not known here, and runs with defaults: --rotary-base 10000, norms of 1e-5. A whole config.json ("model": {"huggingFace": …}) says it.`
    return without.length === 0 ? defaults : `${defaults} ${lacks}`
  }
  return without.length === 0 ? null : lacks
}

function missing({ activation, rotary, norm, peculiar }: Details, gated: boolean): readonly string[] {
  const geglu = activation !== null && /^gelu/.test(activation) && (norm ? norm.kind === 'rms' : gated)
  const kind = rotary?.scaling?.kind
  return compact(
    geglu && `an MLP gated by ${activation}, run as SwiGLU, which costs as much,`,
    peculiar,
    kind !== undefined && kind !== 'yarn' && kind !== 'llama3' && `positions scaled as ${kind}`,
  )
}

/** As people write numbers: 1e-6, and 1.0 for a value that may have a fraction. */
function told(value: unknown): string {
  if (typeof value === 'number' && value < 1e-2) return value.toExponential()
  return Number.isInteger(value) ? `${value}.0` : `${value}`
}
