/**
 * Memory that SGLang keeps on a chip beside weights and caches, which --mem-fraction-static covers. A plan that leaves less than it keeps of its own
 * accord has a smaller share, but never less than its weights and caches take: what SGLang keeps for data-parallel attention by default (4.5 MiB for
 * each sequence of a graph and each group) is more than a chip has where recipes of large servers say a share and run. What it cannot do without are
 * workspaces of attention and the buffers of DeepEP; a plan that does not leave them is refused. Source: sgl-project/sglang 001067f, server_args.py
 * (_handle_gpu_memory_settings, reserve_for_graph_mb, reserve_for_deepep_a2a_mb); SemiAnalysisAI/InferenceX, deepseek-v4 on GB300 (1280 sequences in
 * each of 16 groups at 0.94); ai-dynamo/dynamo, DeepSeek-R1 on GB200 (768 in each of 48 at 0.82).
 */
import { reserveBytes } from '../../cost/memory/budget.ts'
import { bytesText } from '../../plan/explain/figures.ts'
import type { Setting } from '../../problem.ts'
import type { Mesh } from '../../sharding/axis.ts'
import type { Bytes } from '../../units.ts'
import { graphedSequences } from '../server/graphs.ts'
import { memoryShares } from '../server/memory-shares.ts'
import { exceedsBudget, type ServingRules } from '../server/rules.ts'
import { type Stepped, sendBuffers, sendsTooMany, sentTokens } from '../server/sent-tokens.ts'
import type { Serving } from '../server/serving.ts'
import { graphBytes, parallelBytes } from './captured.ts'

const mebibyte = 2 ** 20
const workspaces = 512 * mebibyte

/** Tokens of the largest graph of prompts: a chunk, as it is by default on chips of 60 to 160 GiB. */
const graphedPrompt = 8192

/** Tokens of a chip for which DeepEP has buffers where nothing is said (environ.py, SGLANG_DEEPEP_NUM_MAX_DISPATCH_TOKENS_PER_RANK). */
export const usualSent = 128

/** Attention workspaces (more on more chips), graphs of steps and of prompts, buffers. */
function keptBytes(own: Serving): Bytes {
  const { mode, tensors, mesh, attentionGroups, experts, model } = own
  const graphs = graphBytes({
    sequences: mode === 'prefill' ? 0 : graphedSequences(own),
    gathers: experts?.sends ? 1 : attentionGroups,
    tokens: mode === 'generate' ? 0 : graphedPrompt,
    latent: model.attention.latent !== null,
  })
  return parallelBytes(tensors * mesh.pipeline) + graphs + neededBytes(own)
}

/** What it does not start without. */
function neededBytes({ setting, mesh, mode, experts, sentTokens: tokens }: Serving): Bytes {
  return workspaces + (mode !== 'prefill' && experts?.sends ? buffers(setting, mesh, tokens) : 0)
}

function buffers(setting: Setting, mesh: Mesh, tokens: number): Bytes {
  return Math.max(2048 * mebibyte, tokens > 0 ? sendBuffers(setting, mesh, Math.max(tokens, usualSent)) : 0)
}

/** Share for weights and caches: the plan's, or less if the server keeps more beside them than the plan leaves. */
export function memoryOf(own: Serving): number {
  const { memory, setting } = own
  const all = setting.cluster.chip.hbmBytes
  const most = Math.floor(((all - memory.workspace - keptBytes(own)) / all) * 1000) / 1000
  const share = Math.min(memoryShares(own).lasting, most)
  const held = heldBytes(own) / all
  return share >= held ? share : Math.ceil(held * 1e6) / 1e6
}

function heldBytes({ memory: { parameters, kvCache } }: Serving): Bytes {
  return parameters + kvCache
}

function left(own: Serving): Bytes {
  return own.setting.cluster.chip.hbmBytes - own.memory.workspace - heldBytes(own)
}

export const memoryRule: ServingRules[number] = {
  broken: (own) => !exceedsBudget(own) && left(own) < neededBytes(own) * (1 - 1e-9),
  says: (own) =>
    `SGLang needs ${bytesText(neededBytes(own))} of a chip beside weights, caches and activations (attention workspaces${own.sentTokens > 0 ? `, DeepEP's buffers for ${Math.max(own.sentTokens, usualSent)} tokens` : ''}), and the plan leaves ${bytesText(Math.max(0, left(own)))}: ask for fewer sequences (workload.maxSequences, maxSequences of a deployment)`,
  // What it needs is counted, not measured: a command of somebody's own may run.
  unwritten: true,
}

/** Bytes that a step of generation needs beyond what every plan leaves free; Infinity where it sends more than can be. */
export function neededBeside(setting: Setting, mesh: Mesh, pass: Stepped): Bytes {
  const tokens = sentTokens(setting, 'generate', mesh, pass)
  if (tokens === 0) return 0
  if (sendsTooMany(tokens)) return Number.POSITIVE_INFINITY
  return Math.max(0, workspaces + buffers(setting, mesh, tokens) - freeBytes(setting))
}

/** What a plan that fills its budget leaves of the chip. */
function freeBytes(setting: Setting): Bytes {
  return setting.cluster.chip.hbmBytes - setting.memoryBudget + reserveBytes(setting)
}
