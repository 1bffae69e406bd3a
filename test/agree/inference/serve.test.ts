/**
 * The best deployment against all deployments: every prefill with every generate instance of every size, in every
 * number, one after another, with queues, batches and what drafts give computed here.
 */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { inferenceModel } from '../../../src/inference/model.ts'
import { servables } from '../../../src/launch/servable.ts'
import { transformer } from '../../../src/model/architecture.ts'
import { bestDeployments } from '../../../src/modes/serve/deployments.ts'
import type { GenerateInstance, PrefillInstance } from '../../../src/modes/serve/instance.ts'
import { instanceSize } from '../../../src/modes/serve/instance-size.ts'
import { holds, instanceClusters } from '../../../src/modes/serve/pool.ts'
import { meanWait } from '../../../src/modes/serve/queue.ts'
import { type Requests, requestsOf } from '../../../src/modes/serve/requests.ts'
import type { Sized } from '../../../src/modes/serve/sized.ts'
import { copyBytes } from '../../../src/modes/serve/storage.ts'
import type { ServeWorkload } from '../../../src/problem.ts'
import type { Mesh } from '../../../src/sharding/axis.ts'
import { inferenceProblem } from '../../inference-problem.ts'
import { forAll, law } from '../../law.ts'
import { smallDense } from '../../small-model.ts'

const questions = fc.record({
  /** The last two are trays of four, of which the last is not whole. */
  machine: fc.constantFrom(
    ...[2, 4, 6].map((chips) => ({ chip: 'h100-sxm', chips })),
    ...[8, 6].map((chips) => ({ chip: 'gb200-nvl72', chips })),
  ),
  /** Of HBM: room for few sequences, or for many. */
  memoryFraction: fc.constantFrom(0.1, 0.14, 0.3),
  /** Whether deployments have to be launched by one of the frameworks that serve. */
  launched: fc.boolean(),
  workload: fc
    .record({
      promptLength: fc.constantFrom(512, 3000),
      outputLength: fc.constantFrom(20, 200),
      disaggregated: fc.constantFrom(true, false, 'auto' as const),
      requestsPerSecond: fc.constantFrom(20, 100, 150, 250, 2500),
      maxTimeToFirstTokenSeconds: fc.constantFrom(0.03, 0.06, 0.2, 1),
      maxTimePerOutputTokenSeconds: fc.constantFrom(0.002, 0.004, 0.01, 0.1),
      drafts: fc.constantFrom(
        null,
        null,
        { draft: { costRatio: 0.1 }, acceptance: 0.8, tokens: 3 },
        { draft: { costRatio: 0.5 }, acceptance: 0.3, tokens: 2 },
        { draft: transformer('head', { ...smallDense, layers: 1 }), acceptance: 0.6, tokens: 1 },
      ),
    })
    .map(({ drafts, ...workload }): ServeWorkload => {
      const speculative = drafts === null ? {} : { speculative: drafts }
      return { mode: 'serve', cachedPrefixLength: 0, ...workload, ...speculative }
    }),
})

type Question = typeof questions extends fc.Arbitrary<infer One> ? One : never

function spaceOf({ machine, memoryFraction, launched, workload }: Question) {
  const problem = inferenceProblem({ model: smallDense, ...machine, memoryFraction, workload })
  const pooled = inferenceModel(problem)
  const parts = instanceClusters(problem.cluster)
  const by = launched ? servables(problem, parts) : [null]
  return {
    requests: requestsOf(problem),
    pool: { cluster: problem.cluster },
    byServer: (by ?? []).map((servable) =>
      parts.map((cluster) => instanceSize(problem, { ...pooled, servable }, cluster)),
    ),
    disaggregated: workload.disaggregated,
    top: 1,
  }
}

interface Found {
  readonly chips: number
  readonly requestSeconds: number
}

interface Numbers {
  readonly rate: number
  readonly prefills: number
  readonly generates: number
}

const busiest = 0.8

/** New positions of a sequence in a step, and the tokens that it is expected to get by them. */
interface Drafts {
  readonly positions: number
  readonly tokens: number
}

function draftsOf({ speculative }: ServeWorkload): Drafts {
  if (!speculative) return { positions: 1, tokens: 1 }
  const { acceptance, tokens } = speculative
  return { positions: 1 + tokens, tokens: (1 - acceptance ** (tokens + 1)) / (1 - acceptance) }
}

/** Seconds of a request, or null where an objective is missed. */
function requestSeconds(
  prefill: PrefillInstance,
  generate: GenerateInstance,
  slots: number,
  shared: boolean,
  { rate, prefills, generates }: Numbers,
  requests: Requests,
  drafts: Drafts,
): number | null {
  const { outputLength: length, promptLength, maxFirst, maxPerToken } = requests
  const each = shared ? prefill.seconds / prefill.prompts : 0
  const tokenOf = (count: number) => generate.stepSeconds(count) / drafts.tokens
  const full = length * tokenOf(slots) + slots * each
  if (rate > busiest * ((generates * slots) / full) * (1 + 1e-12)) return null
  // One sequence beside prompts that keep coming may be late, and in time beside fewer.
  const left = 1 - tokenOf(1) / maxPerToken
  if (shared && rate > busiest * (generates / each) * left * (1 + 1e-12)) return null
  if (!shared && rate > busiest * ((prefills * prefill.prompts) / prefill.seconds) * (1 + 1e-12)) return null
  let batch = 1
  const arriving = (count: number) => (rate / generates) * (length * tokenOf(count) + count * each)
  while (arriving(batch) > batch) batch++
  const step = generate.stepSeconds(batch)
  const between = step / (1 - (rate / generates) * each)
  const token = between / drafts.tokens
  const held = rate * length * token
  const places = generates * slots
  const place =
    held + 6 * Math.sqrt(held) < places
      ? 0
      : meanWait({
          arrivalsPerSecond: rate,
          serviceSeconds: length * token,
          serviceVariation: 1,
          servers: places,
        })
  const tokens = prefill.prompts * promptLength
  const firstWith = (chunk: number): number | null => {
    const service = prefill.seconds + (shared ? (tokens / chunk) * step : 0)
    if (rate * service > busiest * (shared ? generates : prefills) * prefill.prompts * (1 + 1e-9)) return null
    const wait = meanWait({
      arrivalsPerSecond: rate / prefill.prompts,
      serviceSeconds: service,
      serviceVariation: 0,
      servers: shared ? generates : prefills,
    })
    const first = place + wait + service + (shared ? between / 2 : exposed(prefill, generate, requests))
    return first > maxFirst ? null : first
  }
  const { positions } = drafts
  const room = maxPerToken * drafts.tokens - step
  const beside = { slots, batch, positions, pages: pagesOf(generate), room }
  const chunk = shared ? chunkOf(prefill, beside, tokens, firstWith) : tokens
  const first = chunk === null ? null : firstWith(chunk)
  return first === null || token > maxPerToken * (1 + 1e-12) ? null : first + (length - 1) * token
}

/** Chips that have other sequences than each other while attention runs, by what each layout of caches shares out. */
const groupsOver: Readonly<Record<string, (mesh: Mesh) => number>> = {
  heads: () => 1,
  sequence: () => 1,
  batch: ({ tensor, tensor2 }) => tensor * tensor2,
  'heads-batch': ({ tensor2 }) => tensor2,
}

/** Tokens that are a page of 64 positions in each group that has prompts of its own. */
function pagesOf({ site: { mesh }, chosen }: GenerateInstance): number {
  const cache = chosen.layouts.find((layout) => layout.cache !== null)?.cache ?? 'heads'
  return 64 * mesh.data * mesh.expert * (groupsOver[cache]?.(mesh) ?? 1)
}

interface Beside {
  readonly slots: number
  readonly batch: number
  /** Of each sequence in a step. */
  readonly positions: number
  readonly pages: number
  readonly room: number
}

/**
 * Prompts go in chunks of so many tokens that no step is over the objective, each beside a step of generation; if the
 * first token is then late, in the smallest with which it is not. Tokens of a step are whole pages, and no fewer than sequences have.
 */
function chunkOf(
  { prompts, seconds }: PrefillInstance,
  { slots, batch, positions, pages, room }: Beside,
  tokens: number,
  firstWith: (chunk: number) => number | null,
): number | null {
  const inTime = Math.floor((tokens * room) / seconds)
  const chunkIn = (step: number) => Math.min(tokens, step - batch * positions)
  let least = pages
  while (least < slots * positions + prompts) least += pages
  let usual = least
  const isShort = (told: number) =>
    inTime >= tokens ? told < slots * positions + tokens : told + pages <= batch * positions + inTime
  while (isShort(usual)) usual += pages
  if (inTime >= 1 && firstWith(chunkIn(usual)) !== null) return chunkIn(usual)
  if (firstWith(tokens) === null) return null
  while (firstWith(chunkIn(least)) === null) least += pages
  return chunkIn(least)
}

/** All within one node here: NVLink. */
function exposed({ size, prompts }: PrefillInstance, generate: GenerateInstance, requests: Requests) {
  const { cluster, assumptions } = size.bench.setting
  if (cluster.network.kind === 'torus') throw new Error('switched networks alone')
  const perChip = (cluster.network.tiers[0]?.bytesPerSecondPerChip ?? 0) * assumptions.scaleUpEfficiency
  const least = Math.min(size.cluster.chips, generate.size.cluster.chips)
  return (prompts * requests.cacheBytes) / (least * perChip)
}

/** The most sequences beside the prompts that are read, counted down. */
function sharedSlots(
  prefill: PrefillInstance,
  generate: GenerateInstance,
  requests: Requests,
  drafts: Drafts,
): number {
  const second = copyBytes(generate.size.bench, prefill.candidate, generate.chosen)
  const each = prefill.seconds / prefill.prompts
  const fits = (count: number) => {
    const { bytes, workspace, budget } = generate.resident(count + prefill.prompts)
    const token = generate.stepSeconds(count) / drafts.tokens + (count * each) / requests.outputLength
    const isTimely = count === 1 || token <= requests.maxPerToken
    return bytes + second + Math.max(workspace, prefill.workspace) <= budget && isTimely
  }
  let count = generate.most
  while (count > 0 && !fits(count)) count--
  return count
}

function everyDeployment(question: Question): Found | null {
  const { byServer, pool, requests } = spaceOf(question)
  const { requestsPerSecond: rate = 0, disaggregated } = question.workload
  const drafts = draftsOf(question.workload)
  let best: Found | null = null
  const note = (chips: number, seconds: number | null) => {
    if (seconds === null) return
    const alike = best && chips === best.chips
    if (!best || chips < best.chips || (alike && seconds < best.requestSeconds)) {
      best = { chips, requestSeconds: seconds }
    }
  }
  const pairs = byServer.flatMap((sizes) =>
    sizes
      .flatMap((size) => [...size.generates(requests.maxPerToken)])
      .flatMap((generate) => {
        const anywhere = sizes.flatMap((size) => [...size.prefills()])
        const same = anywhere.filter(({ size }) => size === generate.size)
        // A server that is launched reads prompts on the mesh that it generates on; slower ones there may do without a second copy of weights.
        const besides = generate.size.prefillsBeside(generate)
        const beside = question.launched ? besides : [...same, ...besides]
        return [
          ...anywhere.map((prefill) => ({ prefill, generate, shared: false })),
          ...beside.map((prefill) => ({ prefill, generate, shared: true })),
        ]
      }),
  )
  for (const { prefill, generate, shared } of pairs) {
    const [p, g] = [prefill.size.cluster, generate.size.cluster]
    if (disaggregated !== true && shared) {
      const slots = sharedSlots(prefill, generate, requests, drafts)
      for (let count = 1; slots > 0 && count * g.chips <= pool.cluster.chips; count++) {
        if (!holds(pool.cluster, [{ cluster: g, count }])) continue
        const numbers = { rate, prefills: count, generates: count }
        note(count * g.chips, requestSeconds(prefill, generate, slots, true, numbers, requests, drafts))
      }
    }
    if (disaggregated === false || shared) continue
    for (let generates = 1; generates * g.chips < pool.cluster.chips; generates++) {
      for (let prefills = 1; prefills * p.chips + generates * g.chips <= pool.cluster.chips; prefills++) {
        const kinds = [
          { cluster: p, count: prefills },
          { cluster: g, count: generates },
        ]
        if (!holds(pool.cluster, kinds)) continue
        const numbers = { rate, prefills, generates }
        const seconds = requestSeconds(prefill, generate, generate.most, false, numbers, requests, drafts)
        note(prefills * p.chips + generates * g.chips, seconds)
      }
    }
  }
  return best
}

describe('the best deployment', () => {
  it('is the best of every deployment there is', () => {
    const seen = { some: 0, drafted: 0, none: 0 }
    forAll(36, [questions], (question) => {
      const { requests, ...space } = spaceOf(question)
      const [found] = bestDeployments(space, requests).deployments
      const expected = everyDeployment(question)
      seen[expected ? 'some' : 'none']++
      if (expected && question.workload.speculative) seen.drafted++
      expect(found?.chips).toBe(expected?.chips)
      if (found && expected) {
        expect(found.operation.requestSeconds).toBeCloseTo(expected.requestSeconds, 9)
      }
    })
    expect(seen.some).toBeGreaterThan(2)
    expect(seen.drafted).toBeGreaterThan(0)
    expect(seen.none).toBeGreaterThan(2)
  })

  law(
    'is the first of any list: the first ones are the same, however many are asked for',
    12,
    [questions, fc.boolean()],
    (question, atAnyRate) => {
      const { requests, ...space } = spaceOf(question)
      const asked = atAnyRate ? { ...requests, rate: null } : requests
      const listed = (top: number) => bestDeployments({ ...space, top }, asked).deployments.map(named)
      const most = listed(1000)
      for (const top of [1, 2, 5]) expect(listed(top)).toEqual(most.slice(0, top))
    },
  )
})

function named({ pair, prefills, generates, score, operation }: Sized) {
  const { disaggregated, prefill, generate, slots } = pair
  const meshes = [prefill.candidate.mesh, generate.site.mesh]
  return { disaggregated, meshes, slots, prefills, generates, score, seconds: operation.requestSeconds }
}
