/**
 * States of a recurrence in SGLang, which has a pool of slots for them beside the caches. A request takes one slot where no prefixes are kept, and
 * otherwise three, with one or two more of which parts of a prompt are kept while it runs (`extra_buffer`, the default). The pool has
 * --max-mamba-cache-size slots, shared out to the groups of attention; without that option as many as requests run, where these are limited and no
 * prefixes are kept, and else --mamba-full-memory-ratio times the memory of caches, whatever runs. Source: sgl-project/sglang (2026),
 * model_executor/pool_configurator.py and kv_cache_configurator.py (_calculate_mamba_ratio, _handle_max_mamba_cache);
 * docs.sglang.io/docs/advanced_features/hybrid_model_memory; pull requests 11679 and 32763, issue 33004.
 */

import { compact } from '../../compact.ts'
import { ownValue } from '../../fields.ts'
import { stateBytesPerSequence } from '../../model/recurrence.ts'
import type { Options } from '../read/options.ts'
import type { ReadingContext } from '../read/reading.ts'
import type { Serving } from '../server/serving.ts'

/** Slots of a request by strategy, with the overlap scheduler. */
const slotsBeside: Readonly<Record<string, number>> = { no_buffer: 3, extra_buffer_lazy: 4 }
const usualSlots = 5

const pool = '--max-mamba-cache-size'
const ratio = '--mamba-full-memory-ratio'
const keepsNone = '--disable-radix-cache'
const usualRatio = 0.9

/** Whether the server is told to keep no prefixes: a plan that finds some cached needs them. */
export function keepsNoPrefixes({ model, keepsPrefixes }: Serving): boolean {
  return model.recurrence !== undefined && !keepsPrefixes
}

export function slotsOf(serving: Serving): number | null {
  const { model, sequences, attentionGroups } = serving
  if (!model.recurrence) return null
  return sequences * attentionGroups * (keepsNoPrefixes(serving) ? 1 : usualSlots)
}

export function slotsNote(serving: Serving): string | null {
  const { model } = serving
  if (!model.recurrence) return null
  if (keepsNoPrefixes(serving))
    return 'SGLang keeps three to five states a request where it keeps prefixes, the plan one: it is told to keep none.'
  const megabytes = Math.round((stateBytesPerSequence(model) * (usualSlots - 1)) / 1e6)
  return `SGLang keeps ${usualSlots} states a request where it keeps prefixes, as the plan needs, which has room for one: the others take ${megabytes} MB a request, over all its chips, from the caches (--max-mamba-cache-size has them all).`
}

/** What a command says of states: the most requests of a group that they allow. */
interface StatesRead {
  readonly sequences: number | null
  readonly notes: readonly string[]
  readonly faults: readonly string[]
}

export function statesRead(
  options: Options,
  groups: number,
  running: number | null,
  { model }: ReadingContext,
): StatesRead {
  if (!model?.recurrent) return { sequences: null, notes: [], faults: [] }
  const size = options.whole(pool)
  const share = options.number(ratio)
  const slots = slotsRead(options)
  if (size !== null) {
    const sequences = Math.floor(Math.floor(size / groups) / slots)
    const starts = sequences > 0
    return {
      sequences: Math.max(1, sequences),
      notes: compact(slots > 1 && `${pool} ${size}: a request takes ${slots} states, the plan counts one`),
      faults: compact(
        !starts &&
          `${pool} ${size} has no state for a request, which takes ${slots} in each of ${groups} groups: the nearest is ${slots * groups}`,
      ),
    }
  }
  const ofRunning = slots === 1 && running !== null
  return { sequences: null, notes: compact(!ofRunning && splitNote(slots, share)), faults: [] }
}

function splitNote(slots: number, share: number | null): string {
  const parts = share === null ? `${usualRatio} (${ratio})` : `${share}`
  const taken = slots === 1 ? 'one of them' : `${slots} of them`
  return `the sequences are an upper limit, and fewer may run: without ${pool} SGLang gives states ${parts} times the memory of caches, whatever runs, and a request takes ${taken}; the plan has one a sequence, and all else for caches`
}

function slotsRead(options: Options): number {
  const strategy = options.text('--mamba-radix-cache-strategy', '--mamba-scheduler-strategy') ?? ''
  const overlaps = !options.isOn('--disable-overlap-schedule')
  if (options.has(keepsNone)) return 1
  return ownValue(slotsBeside, strategy) ?? (overlaps ? usualSlots : usualSlots - 1)
}
