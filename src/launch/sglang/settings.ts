/** SGLang's options that describe a plan. Source: as flags.ts. */

import { expertKernels } from '../../hardware/vendor.ts'
import { denseLayers } from '../../model/expert-layers.ts'
import { groupWays, projectionOf, sharesExperts } from '../server/attention-groups.ts'
import type { Drafts } from '../server/drafts.ts'
import { type Formats, quantizesItself, typeWord } from '../server/formats.ts'
import { graphedSequences } from '../server/graphs.ts'
import { hostChips } from '../server/notes.ts'
import { wholePages } from '../server/pages.ts'
import { type Serving, sharersOf } from '../server/serving.ts'
import { given, number, part, ranks, setting, several, whole, word } from '../settings/settings.ts'
import { capturedSequences } from './captured.ts'
import { memoryOf } from './memory.ts'
import { pagesOf } from './pages.ts'
import { deepEpMode } from './sent-by.ts'
import { sentTypesOf } from './sent-types.ts'
import { keepsNoPrefixes, slotsOf } from './states.ts'
import { keepsSharedApart, unpackingRunner } from './unpacked.ts'

export const sglangFormats: Formats = {
  pairs: ['bf16/bf16', 'fp32/fp32', 'fp8/fp8', 'int8/int8', 'int4/bf16', 'fp4/fp4', 'fp4/fp8', 'fp4/bf16'],
  makes: ['fp8/fp8'],
  caches: { bf16: 'bf16', fp8: 'fp8_e4m3', fp4: 'nvfp4', nvfp4: 'nvfp4' },
}

/** Positions of the context length that a prompt may not use. */
export const promptMargin = 6

/** With attention by sequences, requests and chunks count over all groups of a server. */
export const sglangSettings = {
  tensors: setting('--tp-size', ({ tensors }: Serving) => tensors, ranks, '--tp', '--tensor-parallel-size'),
  pipeline: setting('--pp-size', pipelineOf, ranks, '--pp', '--pipeline-parallel-size'),
  unit: setting('--pp-max-micro-batch-size', (own: Serving) => pipelineOf(own) && own.unitSequences),
  attends: setting('--enable-dp-attention', ({ attentionGroups }: Serving) => attentionGroups > 1, given),
  data: setting(
    '--dp-size',
    ({ attentionGroups }: Serving) => several(attentionGroups),
    ranks,
    '--dp',
    '--data-parallel-size',
  ),
  experts: setting(
    '--ep-size',
    ({ experts, tensors }: Serving) => (experts?.whole ? tensors : null),
    ranks,
    '--ep',
    '--expert-parallel-size',
  ),
  dispatch: setting('--moe-a2a-backend', dispatchOf, word),
  runner: setting('--moe-runner-backend', (own: Serving) => sentTypesOf(own)?.runner ?? unpackingRunner(own)),
  sentBy: setting('--deepep-mode', deepEpMode),
  shared: setting('--disable-shared-experts-fusion', keepsSharedApart),
  copies: setting('--enable-eplb', ({ redundantExperts }: Serving) => redundantExperts > 0, given),
  copiesOf: setting(
    '--ep-num-redundant-experts',
    ({ redundantExperts }: Serving) => redundantExperts || null,
    number,
  ),
  halves: setting('--enable-two-batch-overlap', ({ halved }: Serving) => halved),
  dense: setting('--moe-dense-tp-size', denseRanks, whole),
  head: setting('--enable-dp-lm-head', headApart, given),
  // The same option, for replicas if there are no groups of attention.
  replicas: setting('--dp-size', (own: Serving) => (sharesServer(own) ? own.mesh.data : null)),
  positions: setting('--dcp-size', sharersOf, ranks, '--decode-context-parallel-size'),
  length: setting('--context-length', lengthOf, whole),
  running: setting('--max-running-requests', (own: Serving) => own.sequences * own.attentionGroups, whole),
  states: setting('--max-mamba-cache-size', slotsOf),
  prefixes: setting('--disable-radix-cache', keepsNoPrefixes),
  graphs: setting('--cuda-graph-max-bs', graphsOf),
  // A value of -1 means whole prompts.
  chunk: setting('--chunked-prefill-size', chunkOf),
  // It is off where anything is drafted (server_args.py, _handle_speculative_decoding).
  mixed: setting('--enable-mixed-chunk', ({ mode, drafts }: Serving) => mode === 'serve' && !drafts),
  drafts: part(draftsTold, {
    algorithm: setting('--speculative-algorithm', ({ by }: Drafts) =>
      by === 'layers' ? 'EAGLE' : 'STANDALONE',
    ),
    draft: setting('--speculative-draft-model-path', ({ release }: Drafts) => release),
    steps: setting('--speculative-num-steps', ({ tokens }: Drafts) => tokens),
    branches: setting('--speculative-eagle-topk', () => 1),
    scored: setting('--speculative-num-draft-tokens', ({ tokens }: Drafts) => tokens + 1),
  }),
  prompts: setting('--max-prefill-tokens', (own: Serving) =>
    own.mode === 'prefill' ? own.readTokens : null,
  ),
  memory: setting('--mem-fraction-static', memoryOf),
  type: setting('--dtype', typeWord, word),
  quantization: setting(
    '--quantization',
    (own: Serving) => (quantizesItself(own, sglangFormats) ? 'fp8' : null),
    word,
  ),
  cache: setting(
    '--kv-cache-dtype',
    (own: Serving) => sglangFormats.caches[own.setting.precision.kvCache] ?? 'auto',
    word,
  ),
  role: setting('--disaggregation-mode', roleOf, word),
  transfer: setting('--disaggregation-transfer-backend', ({ transfers }: Serving) =>
    transfers ? 'nixl' : null,
  ),
} as const

/** Larger batches would run without a graph, which the plan assumes. */
function graphsOf(own: Serving): number | null {
  const { hbmBytes } = own.setting.cluster.chip
  const graphed = graphedSequences(own)
  return own.mode !== 'prefill' && graphed > capturedSequences(hbmBytes, own.tensors) ? graphed : null
}

/** A chain, each token of which is drafted behind the last: the model scores one more. */
function draftsTold({ drafts }: Serving): Drafts | null {
  return drafts?.by === 'head' ? null : drafts
}

function pipelineOf({ mesh }: Serving): number | null {
  return several(mesh.pipeline)
}

function dispatchOf({ experts, setting: { cluster } }: Serving): string | null {
  return experts?.sends ? expertKernels(cluster.chip).toLowerCase() : null
}

/** SGLang takes 1 or all. */
function denseRanks(serving: Serving): number | null {
  const { experts, model, sharingGroups } = serving
  if (experts?.sends) return denseLayers(model) > 0 ? 1 : null
  const copied = (name: 'mlp' | 'experts') => projectionOf(serving, name) === groupWays.each()
  return sharingGroups > 1 && (copied('mlp') || (copied('experts') && sharesExperts(serving))) ? 1 : null
}

/** Whether each group has all of the unembedding, as the plan has where groups are its expert axis. */
function headApart(serving: Serving): boolean {
  const { attentionGroups, sharingGroups } = serving
  return (
    attentionGroups > 1 && (sharingGroups === 1 || projectionOf(serving, 'unembedding') !== groupWays.all())
  )
}

export function lengthOf({ mode, contextLength, prompts }: Serving): number {
  if (mode === 'prefill') return contextLength + promptMargin
  return Math.max(contextLength, (prompts?.contextLength ?? 0) + promptMargin)
}

function chunkOf(own: Serving): number | null {
  const { mode, chunked, unitTokens, readTokens, attentionGroups } = own
  if (mode === 'generate') return null
  const inParts = chunked || mode === 'serve' || readTokens > unitTokens
  return inParts ? wholePages(readTokens, pagesOf(own)) * attentionGroups : -1
}

function roleOf({ transfers, mode }: Serving): string | null {
  return transfers ? (mode === 'prefill' ? 'prefill' : 'decode') : null
}

/** Whether replicas share one server, which they cannot on several hosts. */
export function sharesServer(serving: Serving): boolean {
  const { mesh, setting, attentionGroups } = serving
  return mesh.data > 1 && attentionGroups === 1 && setting.cluster.chips <= hostChips(serving)
}
