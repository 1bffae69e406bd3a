/**
 * Commands and flags to serve a plan with each framework: vLLM, SGLang and TensorRT-LLM on GPUs, vLLM and MaxText's own
 * engine on TPUs. A framework that cannot run the plan gets reasons in place of flags. `notes` have what flags cannot
 * say.
 */

import { compact } from '../compact.ts'
import type { Fields } from '../fields.ts'
import { type Chip, devicesOn } from '../hardware/chip.ts'
import type { InferenceCandidate, Phase } from '../inference/phase.ts'
import { isOneServer } from '../modes/serve/one-server.ts'
import type { InstanceSketch, ServeSketch } from '../plan-sketch.ts'
import type { Setting } from '../problem.ts'
import { faults } from '../rules/rule.ts'
import type { Mesh } from '../sharding/axis.ts'
import type { Bytes } from '../units.ts'
import { type Framework, ofKind, type Server, servers } from './framework.ts'
import { type Launch, told } from './launch.ts'
import { readMaxtextServer } from './maxtext/read/server.ts'
import { maxtext, maxtextRules } from './maxtext/server.ts'
import { knownOf } from './read/known-model.ts'
import type { LaunchReading, ReadingContext } from './read/reading.ts'
import { missNote } from './server/missed-prefix.ts'
import type { ServingRules } from './server/rules.ts'
import { neededForResident, type Stepped } from './server/sent-tokens.ts'
import { type Counted, type Serving, serving } from './server/serving.ts'
import { sglang, sglangRules } from './sglang/flags.ts'
import { neededBeside } from './sglang/memory.ts'
import { readSglang } from './sglang/read.ts'
import { shellWords, type Word } from './start.ts'
import { tensorrtLlm, tensorrtLlmRules } from './tensorrt-llm/options.ts'
import { readTensorrt } from './tensorrt-llm/read.ts'
import { vllm } from './vllm/flags.ts'
import { readVllm } from './vllm/read.ts'
import { buildOf } from './vllm/rules.ts'

export interface Launcher {
  readonly chips: readonly Chip['kind'][]
  readonly launch: (serving: Serving) => Launch<unknown>
  /** Rules that a plan has to keep. */
  readonly rules: (serving: Serving) => ServingRules
  /** Bytes that a step of generation needs on a chip beyond what every plan leaves free; Infinity where no such step runs. */
  readonly needsBeside?: (setting: Setting, mesh: Mesh, pass: Stepped) => Bytes
  /** Whether a rule reads how many sequences are together. */
  readonly countsSequences: boolean
  /** Reads flags back that `launch` has made. */
  readonly reads: (flags: unknown, context: ReadingContext) => LaunchReading
}

const argv = (read: (text: string, context: ReadingContext) => LaunchReading): Launcher['reads'] => {
  return (flags, context) => read(shellWords(flags as readonly Word[]), context)
}

export const servingLaunchers: Readonly<Record<Server, Launcher>> = {
  vllm: {
    chips: ['gpu', 'tpu'],
    launch: vllm,
    rules: (serving) => buildOf(serving).rules,
    needsBeside: neededForResident,
    countsSequences: false,
    reads: argv(readVllm),
  },
  sglang: {
    ...{ chips: ['gpu'], launch: sglang, rules: () => sglangRules, countsSequences: false },
    needsBeside: neededBeside,
    reads: argv(readSglang),
  },
  'tensorrt-llm': {
    ...{ chips: ['gpu'], launch: tensorrtLlm, rules: () => tensorrtLlmRules, countsSequences: false },
    reads: (flags, context) => readTensorrt(null, flags as Fields, context),
  },
  maxtext: {
    ...{ chips: ['tpu'], launch: maxtext, rules: () => maxtextRules, countsSequences: true },
    reads: (flags, context) => readMaxtextServer(flags as Fields, context),
  },
}

export function inferenceLaunch(
  setting: Setting,
  candidate: InferenceCandidate,
  mode: Phase['mode'],
  counted: Counted,
): Readonly<Record<string, unknown>> {
  return launchesOf(serving(setting, candidate, mode, counted))
}

/** One server that does both phases, given how each runs in it. */
export function serverLaunch(
  setting: Setting,
  generate: InferenceCandidate,
  prefill: InferenceCandidate,
  {
    longestPrompt,
    limits,
    ...counted
  }: Counted & {
    readonly longestPrompt: number
    /** Limits that the server is given. */
    readonly limits: Pick<Counted, 'stepTokens' | 'maxSequences'>
  },
): Readonly<Record<string, unknown>> {
  // Its one room for caches is that of generation.
  const read = { ...counted, contextLength: longestPrompt, longestPositions: longestPrompt }
  const prompts = serving(setting, prefill, 'prefill', read)
  const unlike = !isOneServer(prefill, generate)
  return launchesOf(serving(setting, generate, 'serve', { ...counted, ...limits, prompts, unlike }))
}

/**
 * A server that does both phases as its flags say it: limits in whole numbers for each group of attention or in blocks of tokens, and the layouts
 * that they mean.
 */
export function readFrom(name: Server, flags: unknown, { model, cluster }: Setting, chips: number): AsTold {
  const { chip } = cluster
  const context = { chips, slices: 1, mode: 'serve', devices: devicesOn(chip), chip, model: knownOf(model) }
  return servingLaunchers[name].reads(flags, context).plan as AsTold
}

/** A deployment in the words of a request. */
export interface AsTold extends Pick<ServeSketch, 'maxSequences' | 'stepTokens'> {
  readonly generate?: Pick<InstanceSketch, 'layout'> & { readonly mesh: Partial<Mesh> }
}

function launchesOf(asked: Serving): Readonly<Record<string, unknown>> {
  const { setting } = asked
  const launches = serversOf(setting, servers).map(
    (name) => [name, servingLaunchers[name].launch(asked)] as const,
  )
  const notes = (own: readonly string[]) =>
    compact(own, placementNote(asked), lengthNote(asked), missNote(asked), scopeOf(asked))
  return told(launches, notes, setting.assumptions.frameworks)
}

/** Those of the named frameworks that serve on the cluster's kind of chip. */
export function serversOf({ cluster }: Setting, named: readonly Framework[]): readonly Server[] {
  return ofKind(servers, named).filter((name) => servingLaunchers[name].chips.includes(cluster.chip.kind))
}

/** For each assumed framework of such chips, why it cannot serve a plan; empty for one that can. */
export function servingRefusals(
  setting: Setting,
  candidate: InferenceCandidate,
  mode: Phase['mode'],
  counted: Counted,
): Readonly<Record<string, readonly string[]>> {
  const made = serving(setting, candidate, mode, counted)
  const asked = serversOf(setting, setting.assumptions.frameworks)
  return Object.fromEntries(asked.map((name) => [name, faults(servingLaunchers[name].rules(made), made)]))
}

function scopeOf({ drafts }: Serving): string {
  return `The model, whether a framework has it, its checkpoint, ${drafts ? '' : 'drafts, '}host and port are not part of a plan.`
}

/** In a deployment, lengths of prompts and outputs are means, and few know the longest request. */
function lengthNote({ mode, transfers, contextLength }: Serving): string | null {
  if (mode !== 'serve' && !transfers) return null
  return `A request longer than the ${contextLength} positions that the server is told is refused: workload.contextLength says the longest, that of mean lengths by default.`
}

function placementNote({ gpu, setting }: Serving): string | null {
  if (gpu || setting.cluster.chips === 1) return null
  return 'JAX chooses where mesh axes lie on the torus; compare what it logs with `placement`.'
}
