/**
 * Spells out a request whose plan is a launch file: what the file says about model, chips, batch and element types is
 * merged with what the request says itself. Both may say the same; a difference is a fault, since one of them is not
 * what will run.
 */
import { compact } from '../../../src/compact.ts'
import { type Fields, isFields } from '../../../src/fields.ts'
import { isFilledIn, unset } from '../../../src/launch/read/options.ts'
import type { LaunchReading } from '../../../src/launch/read/reading.ts'
import { type Catalogue, nearestModels } from '../../catalogue.ts'
import { nearest, sameDigits } from '../../hints/nearest.ts'
import { nearestText } from '../../hints/unknown-name.ts'
import { type Fault, faulty, meaning, ProblemError, type ProblemSlug } from '../../problems.ts'
import type { AssumptionsRequest } from '../../schemas/given/assumptions.ts'
import type { LaunchedPlan } from '../../schemas/launch.ts'
import type { LaunchRead } from '../../schemas/launch-read.ts'
import { valueAt } from '../../validation/json-pointer.ts'
import { contradictions } from './contradictions.ts'
import { cutOffText } from './cut-off.ts'
import { launchKey } from './file.ts'
import { heldOnAverage } from './held-on-average.ts'
import { misspeltIn, misspeltText, strangeIn } from './misspelt.ts'
import { optionIn } from './option-names.ts'
import { modelNamed, readIn } from './reading.ts'
import { generalNote, merged, saidBy } from './said-by.ts'
import { startedOn } from './started-on.ts'
import { withoutFurther } from './without-further.ts'

interface Launch {
  readonly plan: LaunchedPlan
}

export interface SpelledOut<Request> {
  readonly request: Request
  /** Null if the plan is not a launch file. */
  readonly reading: LaunchReading | null
  readonly read: LaunchRead | null
}

export function spelledOut<Request extends { readonly assumptions: AssumptionsRequest }>(
  asked: Launch,
  held: (whole: unknown) => Request,
  catalogue: Catalogue,
): SpelledOut<Request> {
  const { plan, ...rest } = asked
  const started = startedOn(rest, plan[launchKey(plan)], catalogue)
  const found = readIn(plan, started.own, catalogue)
  const noted = { ...found, notes: compact(started.notes, generalNote(found, started.own), found.notes) }
  const onAverage = heldOnAverage(started.own, noted)
  const { own, reading } = withoutFurther(onAverage.own, onAverage.reading, catalogue)
  const at = `/plan/${launchKey(plan)}`
  const said = saidBy(reading, own, catalogue)
  const whole = merged(said, own)
  // Contradictions come first: a mesh that does not match the chips usually follows from one.
  const faults = [
    ...contradictions(onAverage.own, reading, catalogue),
    ...reading.faults.map((detail) => ({ pointer: at, detail })),
    ...misnamed(reading, at),
  ]
  // Without an answer nothing else says why the file would not start anyway.
  const refused = faults.length > 0 ? (reading.refusals ?? []) : []
  const told = [...faults, ...refused.map((detail) => ({ pointer: at, detail }))]
  const unknown = unknownModel(reading, own, at, catalogue)
  const uncounted = (reading.uncounted ?? []).map((detail) => ({ pointer: at, detail }))
  if (uncounted.length > 0 && told.length === 0 && !unknown) throw faulty('not-offered', uncounted)
  const wrong = checkedOr(held, whole, { said, own, at })
  if (told.length > 0 || unknown || 'faults' in wrong) {
    const unchecked = 'faults' in wrong ? wrong : { slug: 'invalid-request' as const, faults: [] }
    const slug = told.length > 0 ? 'impossible-combination' : unknown ? 'unknown-name' : unchecked.slug
    // If the file cannot be understood, other faults follow from that; only those about what the request itself says
    // are kept.
    const rest = unchecked.faults.filter(
      ({ pointer }) =>
        (told.length === 0 && !unknown) ||
        (isSaid(own, pointer) && told.every((fault) => fault.pointer !== pointer)),
    )
    throw faulty(slug, compact(told, unknown, rest, asksOptions(own) && misspelt(reading, at)))
  }
  const { framework, version, notes, ignored, notUnderstood } = reading
  const read = {
    framework,
    version,
    request: whole,
    notes: [...notes],
    ignored: [...ignored],
    notUnderstood: [...notUnderstood],
  }
  return { request: wrong.request, reading, read }
}

/** A fork's own options are no faults where the request leaves the check of them out. */
function asksOptions({ require }: Fields): boolean {
  return !(isFields(require) && require.understood === false)
}

/** Whether the request itself has a plain value there. An object does not count: it may lack what the file would have said. */
function isSaid(own: Fields, pointer: string): boolean {
  const value = valueAt(own, pointer.split('/').slice(1))
  return value !== undefined && typeof value !== 'object'
}

/** Faults for option values that the framework does not have, with all that it has where these are few, or with similar ones. */
function misnamed({ misnamed: values = [] }: LaunchReading, pointer: string): readonly Fault[] {
  return values.map(({ option, value, among }) => {
    const near = among.length > fewValues ? nearest(value, among) : []
    const there = near.length > 0 ? nearestText(near) : `; there are ${among.join(', ')}`
    const why = isFilledIn(value) ? unset(value) : `which there is none of${there}`
    return { pointer, detail: `${option} is ${value.slice(0, 100)}, ${why}` }
  })
}

const fewValues = 12

/** An option that is not understood is only a warning if everything else is fine, but may otherwise be the cause. */
function misspelt(reading: LaunchReading, pointer: string): readonly Fault[] {
  const found = misspeltIn(reading)
  const rest = strangeIn(reading, found)
  return compact(
    reading.cutOff?.map((one) => ({ pointer, detail: cutOffText(one) })),
    found.map((one) => ({ pointer, detail: misspeltText(one) })),
    rest.length > 0 && { pointer, detail: `does not understand ${listed(rest)}` },
  )
}

/** A model name that is not in the catalogue, if nothing else says what the model is. */
function unknownModel(
  reading: LaunchReading,
  own: Fields,
  pointer: string,
  catalogue: Catalogue,
): Fault | null {
  const { named, model } = reading
  if (own.model !== undefined || model?.vocab !== undefined) return null
  if (named === undefined) {
    return (
      model && {
        pointer: '/model',
        detail: `is said by the launch file but for its vocabulary: ${besidePlan}`,
      }
    )
  }
  if (modelNamed(reading, catalogue) !== undefined) return null
  const shown = named.slice(0, 100)
  const open = named.includes('$')
  const suggestions = open ? [] : nearestModels(catalogue, named)
  const why = open ? unset(named) : `which is not in the catalogue${nearestText(suggestions)}`
  return {
    pointer,
    detail: `the model is ${shown}, ${why}: ${besidePlan}`,
    suggestions,
    // Its framework knows the name, so that it is no slip of a model of another size.
    ...meaning(
      '/model',
      suggestions.filter((name) => sameDigits(named, name)),
    ),
  }
}

const besidePlan =
  'say it beside the plan, as "model": a name of GET /models, or {"huggingFace": {what is in its config.json}}'

export function launchWarnings(reading: LaunchReading | null): readonly string[] {
  return reading ? warnedOf(reading, reading.notes) : []
}

/** Those of the warnings for which what runs may well be another than what was read, or than what was meant. */
export function launchDoubts(reading: LaunchReading | null): readonly string[] {
  return reading ? warnedOf(reading, reading.doubts ?? []) : []
}

function warnedOf(reading: LaunchReading, notes: readonly string[]): readonly string[] {
  const { framework } = reading
  const misspelt = misspeltIn(reading)
  const told = new Set(misspelt.map(({ option }) => option))
  const notUnderstood = reading.notUnderstood.filter((text) => !told.has(optionIn(text)))
  return compact(
    adapterWarning(reading),
    reading.cutOff?.map((one) => `${framework}: ${cutOffText(one)}`),
    misspelt.map((one) => `${framework}: ${misspeltText(one)}`),
    notes.map((note) => `${framework}: ${note}`),
    notUnderstood.length > 0 && `${framework}: not understood: ${listed(notUnderstood)}`,
  )
}

/** Options of parameter-efficient training, but those that turn it off and ranks of latent attention. */
const adapters = /^(?!.*(kv|q)[_-]lora)[^=: ]*(lora|peft|dora)(?!.*[= :](false|none|null|0)$)/i

/** Whoever trains adapters needs neither the gradients nor the states of the rest. */
function adapterWarning({ framework, workload, ignored, notUnderstood }: LaunchReading): string | null {
  const found = [...ignored, ...notUnderstood].filter((option) => adapters.test(option))
  const { mode } = workload
  if (found.length === 0 || mode !== 'train') return null
  return `${framework}: ${listed(found)}: training of all weights is costed, with their gradients and optimizer states; adapters (LoRA) over frozen weights cannot be said`
}

/** Long ones are cut: what is not understood may be a whole program. */
function listed(options: readonly string[]): string {
  const shown = options
    .slice(0, 20)
    .map((text) => text.replaceAll(/\s+/g, ' '))
    .map((text) => (text.length > longestShown ? `${text.slice(0, longestShown)}…` : text))
  const more = options.length > shown.length ? [`and ${options.length - shown.length} more`] : []
  return [...shown, ...more].join(', ')
}

const longestShown = 100

type Checked<Request> =
  | { readonly request: Request }
  | { readonly slug: ProblemSlug; readonly faults: readonly Fault[] }

interface Sides {
  readonly said: Fields
  readonly own: Fields
  readonly at: string
}

/** Validates the merged request; faults in what the file says point at the file. */
function checkedOr<Request>(
  held: (whole: unknown) => Request,
  whole: Fields,
  { said, own, at }: Sides,
): Checked<Request> {
  try {
    return { request: held(whole) }
  } catch (error) {
    if (!(error instanceof ProblemError) || error.faults.length === 0) throw error
    const faults = error.faults.map((fault) => {
      const path = fault.pointer.split('/').slice(1)
      const isFiles = valueAt(said, path) !== undefined && valueAt(own, path) === undefined
      return isFiles ? { pointer: at, detail: `${fault.pointer} ${fault.detail}` } : fault
    })
    return { slug: error.slug, faults }
  }
}
