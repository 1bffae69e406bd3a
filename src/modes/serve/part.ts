/**
 * A part of the pool that an instance may have, whichever framework launches it. Most layouts are launched by several frameworks, so that
 * times and memory of a layout are computed once for all of them, and for deployments that none launches.
 */
import type { Cluster } from '../../hardware/cluster/cluster.ts'
import { type Placement, placements } from '../../hardware/network/placement.ts'
import {
  type CompiledLayout,
  type Offered,
  offeredText,
  only,
} from '../../inference/layout/compiled-layout.ts'
import { type InferenceModel, inferenceOn } from '../../inference/model.ts'
import type { InferenceCandidate, Phase, Site } from '../../inference/phase.ts'
import { bestAt, comes, sitesOf } from '../../inference/sites.ts'
import { createWorkbench, type Workbench } from '../../inference/workbench.ts'
import { known, remembered, rememberedWhole } from '../../known.ts'
import type { Stop } from '../../patience.ts'
import type { GenerateWorkload, InferenceRun, PrefillWorkload, ServeProblem } from '../../problem.ts'
import { type Mesh, meshKey } from '../../sharding/axis.ts'
import type { Bytes, Seconds } from '../../units.ts'
import { type GenerationPhase, generationPhase } from '../generate/phase.ts'
import { prefillPhase } from '../prefill/phase.ts'
import { keptByPartSetting, limitsKept, type PartSetting, partSetting, partText } from './part-setting.ts'
import { generateWorkload, prefillWorkload } from './requests.ts'

/** What a mesh with one layout for each component generates, whoever launches it. */
export interface Steps {
  /** A mesh on the network, with one layout for each component. */
  readonly site: Site
  /** The most sequences that memory and the limit on the time per token allow. */
  readonly most: number
  /** Infinity if so many sequences do not fit. */
  readonly stepSeconds: (batch: number) => Seconds
  /** Of each sequence: less than a step takes where drafts are accepted. */
  readonly tokenSeconds: (batch: number) => Seconds
  readonly resident: (batch: number) => Resident
  /** With one sequence of so many positions in each group of chips that caches its own. */
  readonly alone: (positions: number) => Resident
}

/** Bytes per chip: `bytes` stay, `workspace` is used while a component runs, `budget` limits the sum. */
export interface Resident {
  readonly bytes: Bytes
  readonly workspace: Bytes
  readonly budget: Bytes
}

/** How a part reads prompts. */
interface Reading {
  readonly prefillProblem: (prompts: number) => InferenceRun<PrefillWorkload>
  /** A phase without a framework. One whose list of meshes was cut short is not kept. */
  readonly prefillPhase: (prompts: number, stop: Stop) => Phase
  /** The best prefill of so many prompts on a mesh, with the layouts of one of the offers; null where none fits. */
  readonly bestPrefill: (asked: AskedPrefill, stop: Stop) => InferenceCandidate | null
}

export interface Part extends Reading {
  readonly bench: Workbench
  readonly generateProblem: (batch: number | 'max') => InferenceRun<GenerateWorkload>
  /** The same part where servers that read prompts have room for a request of so many positions. */
  readonly holding: (contextLength: number) => Part
  /** As `prefillPhase`. */
  readonly generatePhase: (stop: Stop) => GenerationPhase
  readonly placements: (mesh: Mesh) => readonly Placement[]
  /** Made by `make` for the first who asks for these layouts there, under this limit of a token. */
  readonly steps: (asked: AskedSteps, make: () => Steps) => Steps
}

export interface AskedPrefill {
  readonly prompts: number
  readonly mesh: Mesh
  readonly placements: readonly Placement[]
  readonly offers: readonly Offered[]
}

export interface AskedSteps {
  readonly mesh: Mesh
  readonly placement: Placement
  readonly layouts: readonly CompiledLayout[]
  readonly maxTokenSeconds: number
  /** The framework that is to run them, where frameworks differ in what they run. */
  readonly server?: string | undefined
}

/** Kept with what it hangs on. `pooled` is the model compiled for the whole pool: all of it but the network's prices is reused. */
export function partOf(problem: ServeProblem, pooled: InferenceModel, cluster: Cluster): Part {
  return known(partsOf(problem), partText(cluster), () => createPart(partSetting(problem), pooled, cluster))
}

const partsOf = keptByPartSetting<Part>()

function createPart({ lengths, ...others }: PartSetting, pooled: InferenceModel, cluster: Cluster): Part {
  const setting = { ...others, cluster, constraints: { data: 1, ...others.constraints } }
  const bench = createWorkbench({ ...inferenceOn(pooled, setting), servable: null })
  const generateProblem = (batch: number | 'max') => ({
    ...setting,
    workload: generateWorkload(lengths, batch),
  })
  const generatePhase = rememberedWhole((_: 'max', stop) =>
    generationPhase(bench, generateProblem('max'), stop),
  )
  const laid = new Map<string, readonly Placement[]>()
  const stepped = remembered((_: Seconds) => new Map<string, Steps>(), limitsKept)
  const reading = (contextLength?: number) =>
    readingOf(bench, (prompts) => ({
      ...setting,
      workload: prefillWorkload(lengths, prompts, contextLength),
    }))
  const part: Part = {
    bench,
    ...reading(),
    holding: remembered((contextLength) => ({ ...part, ...reading(contextLength) }), limitsKept),
    generateProblem,
    generatePhase: (stop) => generatePhase('max', stop),
    placements: (mesh) => known(laid, meshKey(mesh), () => placements(cluster.network, mesh)),
    steps: ({ mesh, placement, layouts, maxTokenSeconds, server = '' }, make) => {
      const names = offeredText(only(layouts))
      const key = `${meshKey(mesh)} ${JSON.stringify(placement)} ${names} ${server}`
      return known(stepped(maxTokenSeconds), key, make)
    },
  }
  return part
}

function readingOf(bench: Workbench, prefillProblem: Reading['prefillProblem']): Reading {
  const phaseOf = rememberedWhole((prompts: number, stop) =>
    prefillPhase(bench, prefillProblem(prompts), stop),
  )
  const prefilled = new Map<string, InferenceCandidate | null>()
  return {
    prefillProblem,
    prefillPhase: phaseOf,
    bestPrefill: ({ prompts, mesh, placements: places, offers }, stop) => {
      const phase = phaseOf(prompts, stop)
      const where = `${prompts} ${meshKey(mesh)} ${JSON.stringify(places)}`
      let best: InferenceCandidate | null = null
      for (const offered of offers) {
        const key = `${where} ${offeredText(offered)}`
        let found = prefilled.get(key)
        if (found === undefined) {
          const sites = sitesOf(bench, mesh, { placements: places }, [offered])
          const first = bestAt(phase, sites, Number.POSITIVE_INFINITY, stop)
          found = typeof first === 'object' ? first : null
          if (!stop()) prefilled.set(key, found)
        }
        if (found && (!best || comes(found, best))) best = found
      }
      return best
    },
  }
}
