/**
 * Random requests of all kinds: valid ones with other models, chips and batches than the examples; valid ones with some
 * values exchanged, or replaced by invalid ones; and bodies that are no requests. They follow from a seed, so that a
 * run can be repeated.
 */
import fc from 'fast-check'
import { type Catalogue, loadCatalogue } from '../../api/catalogue.ts'
import { type Example, loadExamples } from '../../api/examples.ts'

export interface Sent {
  readonly kind: 'valid' | 'mutated' | 'hostile'
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** What the body is read as, where it is JSON. */
  readonly value?: unknown
}

type Path = readonly (string | number)[]

const json = { 'content-type': 'application/json' }

export function arbitraryRequest(most: { readonly timeoutMs: number }): fc.Arbitrary<Sent> {
  const catalogue = loadCatalogue()
  const examples = loadExamples()
  const valid = fc
    .constantFrom(...examples)
    .chain((example) => varied(example, catalogue))
    .chain(({ route, value }) => timed(value, most).map((body) => ({ route, value: body })))
  return fc.oneof(
    { weight: 3, arbitrary: valid.map(({ route, value }) => posted('valid', route, value)) },
    {
      weight: 5,
      arbitrary: valid.chain(({ route, value }) =>
        mutated(value).map((body) => posted('mutated', route, body)),
      ),
    },
    { weight: 2, arbitrary: hostile(examples) },
  )
}

function posted(kind: Sent['kind'], path: string, value: unknown): Sent {
  return { kind, method: 'POST', path, headers: json, body: JSON.stringify(value), value }
}

interface Question {
  readonly model?: unknown
  readonly hardware: { readonly chip?: unknown }
}

/** What a body asks about: itself, what its variants have in common, or each of its runs. */
interface Body extends Partial<Question> {
  readonly request?: Question
  readonly runs?: readonly Question[]
}

/** An example for another model of the catalogue, on other chips, or as it is. */
function varied({ route, body }: Example, { models, chips }: Catalogue) {
  const own = body as Body
  const question = own.request ?? own.runs?.[0] ?? (own as Question)
  const model = fc.constantFrom(question.model, question.model, ...models.keys())
  const gpus = [...chips.values()].filter(({ kind }) => kind === 'gpu').map(({ name }) => name)
  const hardware = fc.oneof(
    fc.constant(question.hardware),
    fc.record({ chip: fc.constantFrom(...gpus), chips: fc.constantFrom(8, 16, 64, 72, 256, 1024) }),
  )
  const top = fc.constantFrom(1, 3, 10)
  return fc.tuple(model, hardware, top).map(([model, hardware, top]) => {
    const asked = { hardware, ...(question.model === undefined ? {} : { model }) }
    const value: Readonly<Record<string, unknown>> = own.request
      ? { ...own, request: { ...own.request, ...asked } }
      : own.runs
        ? { ...own, runs: own.runs.map((run) => ({ ...run, ...asked })) }
        : { ...own, ...asked, ...(route === '/optimize' ? { top } : {}) }
    return { route, value }
  })
}

/** Not for long, and some for next to no time. */
function timed(value: Readonly<Record<string, unknown>>, most: { readonly timeoutMs: number }) {
  if ('op' in value) return fc.constant(value)
  const timeoutMs = fc.oneof(
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 20 }) },
    { weight: 5, arbitrary: fc.constant(most.timeoutMs) },
  )
  return timeoutMs.map((timeoutMs) => ({ ...value, timeoutMs }))
}

const strange: readonly unknown[] = [
  ...[0, -1, 1, 2, 3, 7, 1000, 4096, 65_537, 1e6, 1e9, 1e15, 1e308, 5e-324, 0.5, -0.5, 2 ** 53],
  ...[null, true, false, '', 'x', '__proto__', 'constructor', 'auto', 'max', '8', '\u0000', 'é'.repeat(300)],
  ...[[], {}, [[]], [1, 2], { min: 2, max: 1 }, { x: 1 }, Array(2000).fill(1)],
]

/** One or two places changed: numbers scaled, a value for another of the same request or for a strange one, gone, or one more. */
function mutated(value: unknown): fc.Arbitrary<unknown> {
  const change = fc.record({
    at: fc.nat(),
    how: fc.constantFrom('scaled', 'scaled', 'scaled', 'strange', 'other', 'gone', 'extra'),
    strange: fc.constantFrom(...strange),
    scale: fc.constantFrom(0.5, 2, 3, 10, 1000),
    from: fc.nat(),
  })
  return fc.array(change, { minLength: 1, maxLength: 2 }).map((changes) =>
    changes.reduce<unknown>((whole, { at, how, strange, scale, from }) => {
      const paths = pathsOf(whole)
      // Time stays: how long a request runs is the soak's to say.
      const open = paths.filter((path) => path.length > 0 && path[0] !== 'timeoutMs')
      const numbers = open.filter((path) => typeof valueAt(whole, path) === 'number')
      const among = how === 'scaled' && numbers.length > 0 ? numbers : open
      const path = among[at % among.length]
      if (!path) return whole
      const old = valueAt(whole, path)
      const other = valueAt(whole, open[from % open.length] ?? [])
      const next = {
        strange,
        scaled: typeof old === 'number' ? old * scale : strange,
        other,
        gone: undefined,
        extra:
          typeof old === 'object' && old !== null && !Array.isArray(old)
            ? { ...old, extra: strange }
            : strange,
      }[how]
      return changed(whole, path, next)
    }, value),
  )
}

function pathsOf(value: unknown, here: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [here]
  const keys = Array.isArray(value) ? [...value.keys()].slice(0, 20) : Object.keys(value)
  return [
    here,
    ...keys.flatMap((key) => pathsOf((value as Record<string | number, unknown>)[key], [...here, key])),
  ]
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((inner, key) => (inner as Record<string | number, unknown>)[key], value)
}

function changed(value: unknown, [key, ...rest]: Path, next: unknown): unknown {
  if (key === undefined) return next
  if (Array.isArray(value))
    return value.map((each, index) => (index === key ? changed(each, rest, next) : each))
  const object = value as Readonly<Record<string, unknown>>
  return { ...object, [key]: changed(object[key], rest, next) }
}

function hostile(examples: readonly Example[]): fc.Arbitrary<Sent> {
  const texts = examples.map(({ body }) => JSON.stringify(body))
  const post = (path: string, body: string, headers: Sent['headers'] = json): Sent => ({
    kind: 'hostile',
    method: 'POST',
    path,
    headers,
    body,
  })
  const get = (path: string, headers: Sent['headers'] = {}): Sent => ({
    kind: 'hostile',
    method: 'GET',
    path,
    headers,
  })
  const text = fc.constantFrom(...texts)
  const cut = fc
    .tuple(text, fc.nat())
    .map(([whole, at]) => post('/optimize', whole.slice(0, at % whole.length)))
  const noise = fc.string({ maxLength: 2000, unit: 'binary' }).map((body) => post('/optimize', body))
  const values = fc.json({ maxDepth: 6 }).map((body) => post('/evaluate', body))
  const deep = fc.integer({ min: 1, max: 100_000 }).map((depth) => {
    const nested = '['.repeat(depth) + ']'.repeat(depth)
    return post('/optimize', `{"model":{"huggingFace":{"model_type":"llama","x":${nested}}}}`)
  })
  const keys = fc
    .integer({ min: 1, max: 20_000 })
    .map((count) => post('/optimize', `{${Array.from({ length: count }, (_, key) => `"k${key}":${key}`)}}`))
  const long = fc
    .integer({ min: 1, max: 3_000_000 })
    .map((length) => post('/optimize', `"${'x'.repeat(length)}"`))
  const types = fc
    .tuple(
      text,
      fc.constantFrom('text/plain', 'application/xml', 'application/json; charset=utf-7', 'x', '*/*'),
    )
    .map(([body, type]) => post('/optimize', body, { 'content-type': type }))
  const paths = fc
    .constantFrom(
      '/',
      '/models',
      '/models/x',
      '/hardware/%00',
      '/optimize',
      '/docs',
      '/problems/x',
      '/%',
      '/..',
      '/x',
    )
    .map((path) => get(path))
  const queries = fc.webQueryParameters().map((query) => get(`/models?${query}`))
  const tags = text.map((body) => post('/collectives', body, { ...json, 'if-none-match': '*, "x", W/"y"' }))
  return fc.oneof(cut, noise, values, deep, keys, long, types, paths, queries, tags)
}
