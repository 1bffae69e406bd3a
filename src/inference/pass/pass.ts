/**
 * One way through the model: what runs through it at once, how often, and what stays in memory. L layers on p stages,
 * a = ceil(L/p) on the fullest; the last stage, which unembeds, is taken to be as full.
 *
 *   generation   B sequences in m = min(p, B) groups, each one token further when it has been through all stages:
 *                step = max(L·layer + head, m·(a·layer + head)), transfers between stages and p starts beside it
 *   prefill      u units (groups of prompts, or chunks of them), one behind the other:
 *                time = (u - 1)·(a·layer + head) + L·layer + head, and u + p - 1 starts
 *
 *   halves       of a batch, one behind the other on one stage: each through all layers, the head once for both
 *
 * Each of what is compared is linear in the times of a layer and of the head: `rounds` count them. `layerTimes` are the most layers that any of
 * them has, whose overheads are counted. Sources: formulas 14; the times include the bubble of a pipeline.
 */

import { byPair } from '../../by-pair.ts'
import { remembered, rememberedOf } from '../../known.ts'
import type { Transformer } from '../../model/transformer.ts'
import type { PhaseMode } from '../../modes/names.ts'
import type { GenerateWorkload, PrefillWorkload } from '../../problem.ts'
import type { Shape } from '../layout/local-sizes.ts'
import type { ContextGroup } from '../time/component-time.ts'
import { contextGroups, keptPositions, keptScored } from './contexts.ts'

export interface Pass {
  readonly mode: PhaseMode
  /** 2 where one half of the batch computes while the other half's tokens are on their way to experts or back (inference/time/turns.ts). */
  readonly halves: 1 | 2
  readonly shape: Shape
  readonly contexts: readonly ContextGroup[]
  /** Sequences that are unembedded together, and new positions of each. */
  readonly headSequences: number
  readonly headPositions: number
  readonly layerTimes: number
  /** The courses that a pass may take, of which the longest counts (courses.ts). */
  readonly rounds: readonly Rounds[]
  /** How often a unit goes from one stage to the next, one time after another. */
  readonly transfers: number
  /** How often hosts start a step, one after another: each stage's for each group or chunk that it passes on. */
  readonly launches: number
  readonly stages: number
  readonly stageLayers: number
  readonly groups: number
  /** Groups, or chunks of them, that a stage takes one after another. */
  readonly units: number
  /** New positions of each sequence in the longest of them, which a server is told and a plan says, and in all of them together. */
  readonly unitPositions: number
  readonly newPositions: number
  /** What is resident: the number of sequences, and the positions that a layer keeps of each. */
  readonly resident: Shape
  /** A sequence that has to have room alone (cached.ts); null where none is longer than those that are resident. */
  readonly longest: Longest | null
}

export interface Longest {
  readonly kept: Omit<Shape, 'sequences'>
  /** How many times as long it is as those that are resident. */
  readonly times: number
}

/** One course through the stages: how often it goes through a stage that the others wait for, through the whole model and through the head. */
export interface Rounds {
  readonly stage: number
  readonly model: number
  readonly head: number
}

/** What one course runs. */
export interface Course {
  /** How often each component runs, one time after another; the head is the last. */
  readonly times: readonly number[]
  /** How often the stream leaves the embedding. */
  readonly entries: number
  /** For each component, the layers of the stage that the others wait for. */
  readonly stage: readonly number[]
}

/** What distinguishes the passes: what runs at once and after how many positions, how it goes through the stages, what is resident. */
interface Way
  extends Pick<
    Pass,
    | ('mode' | 'stages' | 'groups' | 'units' | 'unitPositions' | 'newPositions')
    | ('launches' | 'transfers' | 'headPositions' | 'rounds')
  > {
  readonly sequences: number
  readonly positions: number
  readonly past: number
  readonly resident: { readonly sequences: number; readonly context: number }
  /** Positions of the longest sequence. */
  readonly longest: number
}

/** Written out field by field: a search makes thousands, and all should have the same object shape. */
function passOf(model: Transformer, way: Way): Pass {
  const { sequences, positions, past, stages, rounds, resident, longest } = way
  const stageLayers = Math.ceil(model.layers / stages)
  return {
    mode: way.mode,
    halves: 1,
    shape: { sequences, positions, context: past + positions },
    contexts: contextsOf(model, past, positions),
    headSequences: sequences,
    headPositions: way.headPositions,
    layerTimes: Math.max(...rounds.map((own) => own.stage * stageLayers + own.model * model.layers)),
    rounds,
    transfers: way.transfers,
    launches: way.launches,
    stages,
    stageLayers,
    groups: way.groups,
    units: way.units,
    unitPositions: way.unitPositions,
    newPositions: way.newPositions,
    resident: { sequences: resident.sequences, ...keptOf(model, resident.context) },
    longest:
      longest > resident.context ? { kept: keptOf(model, longest), times: longest / resident.context } : null,
  }
}

/** Passes of many batches have the same contexts. */
function contextsOf(model: Transformer, past: number, positions: number): Pass['contexts'] {
  const kept = contextsByLengths(model)
  return kept.find(past, positions) ?? kept.keep(past, positions, contextGroups(model, past, positions))
}

const mostContexts = 200

const contextsByLengths = rememberedOf((_: Transformer) => byPair<Pass['contexts']>())

/** What a layer keeps of a sequence of so many positions. */
export function keptOf(model: Transformer, context: number): Omit<Shape, 'sequences'> {
  return keptBy(model)(context)
}

const keptBy = rememberedOf((model: Transformer) =>
  remembered((context: number): Omit<Shape, 'sequences'> => {
    return { positions: 1, context: keptPositions(model, context), indexed: keptScored(model, context) }
  }, mostContexts),
)

/** `positions` is the number of new ones per sequence: 1, or a draft that is verified. */
export function generationPass(
  model: Transformer,
  { contextLength, meanContextLength }: Pick<GenerateWorkload, 'contextLength' | 'meanContextLength'>,
  batch: number,
  stages: number,
  positions = 1,
): Pass {
  const groups = Math.min(stages, batch)
  const turns: Rounds = { stage: groups, model: 0, head: groups }
  return passOf(model, {
    mode: 'generate',
    stages,
    groups,
    units: groups,
    unitPositions: positions,
    newPositions: positions,
    launches: stages,
    positions,
    headPositions: positions,
    sequences: Math.ceil(batch / groups),
    past: Math.max(0, Math.min(meanContextLength, contextLength) - positions),
    rounds: groups < stages ? [turns, { stage: 0, model: 1, head: 1 }] : [turns],
    transfers: stages > 1 ? stages : 0,
    resident: { sequences: batch, context: meanContextLength },
    longest: contextLength,
  })
}

/**
 * Prompts run in `groups`, each in chunks of `chunkTokens` and what is left for the last. Chunks take longer the more positions are before them, so that
 * the first of p stages waits for none and all others for the longest chunk: a chunk is costed at the mean of what is waited for, u chunks and p - 1
 * times one with all before it. So is its workspace, which a chunk in front of a short last one has a little more of.
 */
export function prefillPass(
  model: Transformer,
  { promptLength, batchSequences, cachedPrefixLength, chunkTokens, contextLength = 0 }: PrefillWorkload,
  groups: number,
  stages: number,
): Pass {
  const fresh = promptLength - cachedPrefixLength
  const longest = Math.min(fresh, chunkTokens ?? fresh)
  const chunks = Math.ceil(fresh / longest)
  const units = groups * chunks
  const turns = units + stages - 1
  const waited = (stages - 1) * longest
  const positions = (groups * fresh + waited) / turns
  // A position meets those in front of it, half of its prompt in the mean; those of the chunk that is waited for stand at its end.
  const met = (groups * fresh ** 2) / 2 + waited * (fresh - longest / 2)
  return passOf(model, {
    mode: 'prefill',
    stages,
    groups,
    units,
    unitPositions: longest,
    newPositions: fresh,
    launches: turns,
    positions,
    headPositions: 1,
    sequences: Math.ceil(batchSequences / groups),
    past: cachedPrefixLength + Math.max(0, met / (turns * positions) - positions / 2),
    rounds: [{ stage: units - 1, model: 1, head: groups }],
    transfers: stages > 1 ? units + stages - 2 : 0,
    resident: { sequences: batchSequences, context: promptLength },
    longest: contextLength - 1,
  })
}

/** The pass in two halves; it must be one without pipeline stages. */
export function halvedPass(pass: Pass): Pass {
  const { shape } = pass
  return {
    ...pass,
    halves: 2,
    shape: { ...shape, sequences: Math.ceil(shape.sequences / 2) },
    layerTimes: 2 * pass.layerTimes,
    rounds: pass.rounds.map(({ stage, model, head }) => ({ stage: 2 * stage, model: 2 * model, head })),
    groups: 2 * pass.groups,
    units: 2 * pass.units,
  }
}
