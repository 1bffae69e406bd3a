/**
 * Megatron-LM's options that describe a run, in the order in which they are written, with what reads them: the model, and how it is run.
 * Those of a room are in its file. Source: as flags.ts.
 */

import { pipelineRank } from '../run/rank-order.ts'
import type { Run } from '../run/run.ts'
import { given, ranks, type Said, setting, several, whole, word } from '../settings/settings.ts'
import { attentionSettings } from './attention.ts'
import { activationSettings, attentionDetails, isSquared, normSettings, positionSettings } from './details.ts'
import { recipeSettings } from './expert-recipe.ts'
import { dispatchSettings, expertSettings } from './experts.ts'
import { hybridSettings } from './hybrid.ts'
import { pipelineSettings } from './pipeline.ts'
import { precisionSettings } from './precision.ts'
import { recomputationSettings } from './recomputation.ts'
import { stateSettings } from './states.ts'
import { overlapSettings } from './tensor-overlap.ts'

export const modelSettings = {
  layers: setting(
    '--num-layers',
    ({ model }: Run) => model.layerPattern === undefined && model.layers,
    whole,
  ),
  ...hybridSettings,
  dModel: setting('--hidden-size', ({ model }: Run) => model.dModel, whole),
  dFf: setting('--ffn-hidden-size', ({ model }: Run) => model.dFf, whole),
  ...attentionSettings,
  ...attentionDetails,
  ...activationSettings,
  ...normSettings,
  unbiased: setting('--disable-bias-linear', isUnbiased, given),
  untied: setting('--untie-embeddings-and-output-weights', ({ model }: Run) => !model.tiedEmbeddings, given),
  ...positionSettings,
  vocab: setting('--vocab-size', ({ model }: Run) => model.vocab, whole),
  // Its defaults are 0.1; plans count no dropout masks.
  dropout: setting('--hidden-dropout', (_: Run) => '0.0', word),
  attentionDropout: setting('--attention-dropout', (_: Run) => '0.0', word),
  fusedLoss: setting('--cross-entropy-loss-fusion', (_: Run) => true),
  multiTokenLayers: setting('--mtp-num-layers', ({ model }: Run) => model.multiTokenLayers || null, whole),
  experts: expertSettings,
}

export const contextExchanges = { gather: 'all_gather', ring: 'p2p', ulysses: 'a2a' } as const

export const layoutSettings = {
  dispatch: dispatchSettings,
  recipe: recipeSettings,
  tensor: setting(
    '--tensor-model-parallel-size',
    ({ mesh }: Run) => mesh.tensor,
    ranks,
    '--model-parallel-size',
  ),
  inSequence: setting('--sequence-parallel', isInSequence, given),
  context: setting('--context-parallel-size', ({ mesh }: Run) => several(mesh.context), ranks),
  exchange: setting('--cp-comm-type', exchangeOf, word),
  ...pipelineSettings,
  pipelineInside: setting('--use-tp-pp-dp-mapping', (run: Run) => pipelineRank(run) === 'inside'),
  sequenceLength: setting(
    '--seq-length',
    ({ sequenceLength }: Run) => sequenceLength,
    whole,
    '--encoder-seq-length',
  ),
  microbatch: setting('--micro-batch-size', ({ microbatch }: Run) => microbatch, whole, '--batch-size'),
  globalBatch: setting('--global-batch-size', ({ globalBatch }: Run) => globalBatch, whole),
  ...stateSettings,
  precision: precisionSettings,
  recomputation: recomputationSettings,
  ...overlapSettings,
}

export const megatronSettings = { ...modelSettings, ...layoutSettings }

export type MegatronSaid = Said<typeof megatronSettings>

/** Of models that do not say, the older ones have biases: those of GELU. Biases would be fused with an activation, which a squared ReLU is not (arguments.py, line 1550). */
function isUnbiased(run: Run): boolean {
  const { biases, gatedMlp, experts } = run.model
  return !biases && (gatedMlp || experts !== null || isSquared(run))
}

function isInSequence({ mesh, problem: { assumptions } }: Run): boolean {
  return mesh.tensor > 1 && assumptions.residual !== 'whole'
}

function exchangeOf({ mesh, contextLayout }: Run): string | null {
  return mesh.context > 1 ? contextExchanges[contextLayout] : null
}
