/**
 * Megatron-LM's options for details of a model that cost nothing (model/details.ts): positions, norms, biases, how a
 * router scores. Options equal to its defaults are left out: a rotary base of 10000, epsilons of 1e-5, a softmax over
 * the chosen experts. The frequencies of Llama 3.1's scaling are built in; latent attention uses YaRN unless told
 * otherwise. Source: as flags.ts, megatron/training/argument_utils.py, and the models of
 * examples/post_training/modelopt/conf, examples/{llama,mixtral,gptoss} there and of yanring/Megatron-MoE-ModelZoo
 * @e8650517d6.
 */

import { compact } from '../../compact.ts'
import type { Details, Rotary } from '../../model/details.ts'
import type { Run } from '../run/run.ts'
import { given, part, setting, whole, word } from '../settings/settings.ts'

/** The activation of gpt-oss. */
const isClamped = activates('clamped quick-gelu')
export const isSquared = activates('relu2')

export const activationSettings = {
  squared: setting('--squared-relu', isSquared),
  squaredInExperts: setting(
    '--use-fused-weighted-squared-relu',
    (run: Run) => isSquared(run) && run.model.experts !== null,
  ),
  swiglu: setting('--swiglu', (run: Run) => run.model.gatedMlp && !isSquared(run) && !isClamped(run), given),
  quick: part((run: Run) => (isClamped(run) && run.model.gatedMlp ? run : null), {
    geglu: setting('--quick-geglu', () => true, given),
    // Limit and offset are those of its class.
    offset: setting('--glu-linear-offset', () => '1.0'),
    limit: setting('--activation-func-clamp-value', () => '7.0'),
  }),
}

function activates(kind: string) {
  return ({ model: { details } }: Run): boolean => details?.activation === kind
}

export const normSettings = {
  rms: setting('--normalization', isRms),
  norm: part(({ model }: Run) => model.details?.norm, {
    epsilon: setting('--norm-epsilon', ({ epsilon }) => epsilon !== 1e-5 && told(epsilon)),
    aroundZero: setting('--apply-layernorm-1p', ({ aroundZero }) => aroundZero),
  }),
  queryKeyNorm: setting('--qk-layernorm', ({ model }: Run) => model.details?.queryKeyNorm),
}

/** Without details, a gated model is taken to have RMSNorm, as almost all have. */
function isRms({ model: { gatedMlp, details } }: Run): string | null {
  const norm = details?.norm ?? null
  return (norm ? norm.kind === 'rms' : gatedMlp) ? 'RMSNorm' : null
}

export const positionSettings = {
  kind: setting('--position-embedding-type', kindOfPositions, word),
  positions: setting('--max-position-embeddings', mostPositions, whole),
  rotary: part(rotaryOf, {
    base: setting('--rotary-base', ({ base }) => base !== 10_000 && base),
    share: setting('--rotary-percent', ({ share }) => share !== 1 && share),
    llama: part(({ llama }: Turned) => llama, {
      isScaled: setting('--use-rope-scaling', () => true),
      factor: setting('--rope-scaling-factor', ({ factor }) => told(factor)),
    }),
    yarn: part(({ yarn }: Turned) => yarn, {
      factor: setting('--rotary-scaling-factor', ({ factor }) => numberTold(factor)),
      mscale: setting('--mscale', ({ mscale }) => numberTold(mscale)),
      mscaleAll: setting('--mscale-all-dim', ({ mscale_all_dim: all }) => numberTold(all)),
    }),
    // Latent attention takes YaRN's frequencies from its own class, which assumes training at 4096 positions.
    bent: part(({ yarn, latent }: Turned) => (latent ? null : yarn), {
      original: setting(
        '--yarn-original-max-position-embeddings',
        ({ original_max_position_embeddings: most }) => (typeof most === 'number' ? Math.round(most) : null),
      ),
      fast: setting('--yarn-beta-fast', ({ beta_fast: fast }) => numberTold(fast)),
      slow: setting('--yarn-beta-slow', ({ beta_slow: slow }) => numberTold(slow)),
      unrounded: setting('--no-yarn-correction-range-round-to-int', ({ truncate }) => truncate === false),
    }),
    // Latent attention uses YaRN unless told otherwise.
    type: setting('--rope-type', ({ latent, yarn }) => latent && !yarn && 'rope'),
  }),
}

function kindOfPositions({ model: { learnedPositions, details, attention } }: Run): string {
  if (learnedPositions > 0) return 'learned_absolute'
  if (details?.withoutPositions) return 'none'
  return scalingOf(details?.rotary, 'yarn') && !attention.latent ? 'yarn' : 'rope'
}

function mostPositions({ model: { learnedPositions }, sequenceLength }: Run): number {
  return learnedPositions > 0 ? learnedPositions : sequenceLength
}

interface Turned extends Rotary {
  readonly llama: Rotary['scaling']
  readonly yarn: Rotary['scaling']
  readonly latent: boolean
}

function rotaryOf({ model: { learnedPositions, details, attention } }: Run): Turned | null {
  if (learnedPositions > 0 || !details?.rotary) return null
  const { rotary } = details
  const [llama, yarn] = [scalingOf(rotary, 'llama3'), scalingOf(rotary, 'yarn')]
  return { ...rotary, llama, yarn, latent: attention.latent !== null }
}

function scalingOf(rotary: Rotary | null | undefined, kind: string): Rotary['scaling'] {
  return rotary?.scaling?.kind === kind ? rotary.scaling : null
}

export const attentionDetails = {
  queryKeyValueBiases: setting('--add-qkv-bias', ({ model }: Run) => model.details?.queryKeyValueBiases),
  sinks: setting('--softmax-type', ({ model }: Run) => model.details?.sinks && 'learnable'),
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
    geglu && `an MLP gated by ${activation} (it is run as SwiGLU, which costs as much)`,
    peculiar,
    kind !== undefined && kind !== 'yarn' && kind !== 'llama3' && `positions scaled as ${kind}`,
  )
}

/** As people write numbers: 1e-6, and 1.0 for a value that may have a fraction. */
export function told(value: unknown): string {
  if (typeof value === 'number' && value < 1e-2) return value.toExponential()
  return Number.isInteger(value) ? `${value}.0` : `${value}`
}

function numberTold(value: unknown): string | null {
  return typeof value === 'number' ? told(value) : null
}
