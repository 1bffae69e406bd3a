/**
 * Memory that vLLM keeps of its share of a GPU beside weights and caches: what a profiled step takes at its peak, what kernels and NCCL allocate
 * while it runs, and graphs. Caches have the rest (vllm/v1/worker/gpu_worker.py, determine_available_memory; graphs are in the share since v0.21).
 *
 *   sampler      logits of every sequence that may run, over the whole vocabulary, and what is sorted out of them: 14.8 bytes an element
 *   stream       1.25 times the residual stream of a step
 *   experts      rows of a mixture between its two matmuls, and what these take in and give out
 *   beside torch 0.25 GiB of a rank alone, 2.1 GiB of one that shares layers with others
 *   graphs       240 kB for each layer and size, of steps with prompts and of those without
 *   driver       what CUDA shows of a chip less than nvidia-smi does, of which the share is
 *
 * Set on the rows of fixtures/measurements/serving-memory.jsonl that are marked for fitting (v0.19 on H100). v0.17 and before kept 38 bytes an
 * element of logits.
 */
import type { Chip } from '../../hardware/chip.ts'
import { isAmd } from '../../hardware/vendor.ts'
import type { Bytes } from '../../units.ts'
import { type KnownModel, knownOf, type Widths } from '../read/known-model.ts'
import { memoryShares } from '../server/memory-shares.ts'
import { ranksOf, type Serving } from '../server/serving.ts'
import { defaultStep, sentRoom } from './step-tokens.ts'

const gibibyte = 2 ** 30
const sampledBytes = 14.8
const streams = 1.25
const besideTorch = { alone: 0.25 * gibibyte, shared: 2.1 * gibibyte }
const graphedLayer = 240e3
const driver = 0.5 * gibibyte

export interface Profiled {
  /** Ranks that share a layer. */
  readonly ranks: number
  readonly stages: number
  /** The most sequences of a rank, tokens of its step, and sequences of its largest graph (null for what follows from the former, 0 for none). */
  readonly sequences: number
  readonly tokens: number
  readonly graphed: number | null
}

export function vllmKeeps(
  { layers, widths }: Pick<KnownModel, 'layers' | 'widths'>,
  { ranks, stages, sequences, tokens, graphed }: Profiled,
): Bytes {
  const graphs = graphSizes(graphed ?? Math.min(2 * sequences, 512), sequences)
  const profiled = widths ? peakBytes(widths, ranks, sequences, tokens) : 0
  return Math.round(fixedBytes(ranks) + graphedLayer * Math.ceil(layers / stages) * graphs + profiled)
}

function fixedBytes(ranks: number): Bytes {
  return driver + (ranks > 1 ? besideTorch.shared : besideTorch.alone)
}

/**
 * The same of a server of which it is known what it keeps, on other ranks and stages. What it keeps beside a profiled step are its graphs, however many it
 * captures; where the step is not known, they and it are taken to stay.
 */
export function vllmKeepsElsewhere(
  { layers, widths }: Pick<KnownModel, 'layers' | 'widths'>,
  kept: Bytes,
  step: Pick<Profiled, 'sequences' | 'tokens'> | null,
  from: Pick<Profiled, 'ranks' | 'stages'>,
  to: Pick<Profiled, 'ranks' | 'stages'>,
): Bytes {
  const beside = ({ ranks }: Pick<Profiled, 'ranks'>) =>
    fixedBytes(ranks) + (step && widths ? peakBytes(widths, ranks, step.sequences, step.tokens) : 0)
  const graphs = kept - beside(from)
  const layersOf = ({ stages }: Pick<Profiled, 'stages'>) => Math.ceil(layers / stages)
  const times = step && graphs > 0 ? layersOf(to) / layersOf(from) : 1
  return Math.round(beside(to) + graphs * times)
}

/** The larger of an MLP's live arrays and what the sampler takes, beside a workspace of experts, which stays. */
function peakBytes(
  { vocab, dModel, dFf, experts }: Widths,
  ranks: number,
  sequences: number,
  tokens: number,
): Bytes {
  const stream = 2 * tokens * dModel
  const mlp = 3 * (2 * tokens * (dFf / ranks)) + 3 * stream
  const rows = experts ? 2 * tokens * experts.active : 0
  const width = experts ? experts.width / ranks : 0
  return (
    Math.max(mlp, sampledBytes * vocab * sequences + streams * stream) +
    rows * (Math.max(2 * width, dModel) + width)
  )
}

/** Sizes that graphs are captured of, with prompts up to the largest, and without up to the sequences that may run (vllm/config/vllm.py, _set_cudagraph_sizes). */
function graphSizes(largest: number, sequences: number): number {
  return sizes(largest) + sizes(Math.min(largest, sequences))
}

function sizes(most: number): number {
  const few = [1, 2, 4].filter((size) => size <= most).length
  const eights = Math.floor(Math.min(most, 248) / 8)
  return few + eights + (most >= 256 ? Math.floor((most - 256) / 16) + 1 : 0)
}

/**
 * The largest share with which a server is told to start: more has to be free than that once NCCL is up, of which 2 % take on an H100 and 6 % on an
 * MI355X (docs/frameworks.md).
 */
const most = { nvidia: 0.97, amd: 0.93 }

/** The plan's budget as a share, or more where vLLM would leave the plan's caches less than they take. */
export function utilizationOf(own: Serving): number {
  const { memory, setting, gpu } = own
  const { whole } = memoryShares(own)
  const { chip } = setting.cluster
  if (!gpu || own.mode === 'prefill') return whole
  const { parameters, kvCache, workspace } = memory
  const needed = (parameters + kvCache + workspace + keptOf(own, chip)) / chip.hbmBytes
  const largest = isAmd(chip) ? most.amd : most.nvidia
  return Math.max(whole, Math.min(largest, Math.ceil(needed * 1000) / 1000))
}

function keptOf(own: Serving, chip: Pick<Chip, 'name' | 'kind' | 'hbmBytes'>): Bytes {
  const { mode, model, mesh, attentionGroups, sequences, unitTokens } = own
  const tokens = mode === 'generate' ? defaultStep(chip).tokens : unitTokens
  return vllmKeeps(knownOf(model), {
    ranks: ranksOf(own) / attentionGroups,
    stages: mesh.pipeline,
    sequences,
    tokens: Math.max(sequences, sentRoom(own) || tokens),
    graphed: null,
  })
}
