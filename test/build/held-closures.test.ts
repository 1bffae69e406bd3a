import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { holdLittle } from '../../api/worker/held.ts'
import { sweep } from '../../api/worker/sweep.ts'

const { withHeldClosures } = (await import(
  `${new URL('../../build/held-closures.mjs', import.meta.url)}`
)) as {
  readonly withHeldClosures: (text: string) => string
}

const modules = {
  'arrows in arrows': `export const run = () => [1, 2].map((a) => [3].map((b) => (c) => a + b + c)).flat().map((f) => f(4))`,
  'a declaration before and below its use': `export function run() { if (true) { return later(2); function later(n) { return n < 1 ? 0 : n + later(n - 1) } } }`,
  'a default of a parameter': `function with_({ by = (n) => n * 2, other = by } = {}) { return other(21) } export const run = () => with_()`,
  'members of an object': `export const run = () => { const made = { get size() { return [7].map((n) => n)[0] }, of(n) { return this.size + n }, ['x' + 1]: (n) => n, 'a b': () => 1 }; return [made.size, made.of(1), made.x1(2), made['a b']()] }`,
  'a class inside of a function': `export const run = () => { class Own { #n = 1; static of = () => new Own(); add = (n) => this.#n + n; get twice() { return this.#n * 2 } } return [Own.of().add(2), Own.of().twice] }`,
  'a function that calls itself by its name': `export const run = () => (function fact(n) { return n < 2 ? 1 : n * fact(n - 1) })(5)`,
  'generators, rest and spreads': `export const run = () => { const each = function* (...own) { yield* own.map((n) => n + 1) }; return [...each(1, 2)] }`,
  'a function called before the last line': `export const early = make()(1); function make() { return (n) => n + 1 } export const run = () => early`,
  'a declaration in a case of a switch': `export const run = () => { switch (1) { case 1: function own() { return 3 } default: return own() } }`,
  'no function inside of another': `export function run() { return 1 }`,
  'texts that look like functions': `export const run = () => ['(a) => a', \`\${[1].map((n) => n)} => {\`, /=> \\(/.source]`,
}

describe('a module that holds its closures', () => {
  it.each(Object.entries(modules))('does what it did: %s', async (_, text) => {
    const [before, after] = await Promise.all([imported(text), imported(withHeldClosures(text))])
    expect(after.run()).toEqual(before.run())
    expect(Object.keys(after)).toEqual(Object.keys(before))
  })

  it('has the last closure of each function expression outlive a collection, and no other', async () => {
    const text = `export const run = () => [1, 2, 3].map((n) => new WeakRef(() => n))
      export const declared = () => { const ref = new WeakRef(own); return ref; function own() {} }`
    const collected = async (module: string) => {
      const { run, declared } = await imported<Made>(module)
      const refs = [...run(), declared()]
      await setImmediate()
      sweep()
      return refs.map((ref) => ref.deref() === undefined)
    }
    expect(await collected(text)).toEqual([true, true, true, true])
    expect(await collected(withHeldClosures(text))).toEqual([true, true, false, false])
  })

  it('lets go of them when it is told to', async () => {
    const { run } = await imported<Pick<Made, 'run'>>(
      withHeldClosures(`export const run = () => [1].map((n) => new WeakRef(() => n))`),
    )
    const [ref] = run()
    holdLittle(() => {})
    await setImmediate()
    sweep()
    expect(ref?.deref()).toBeUndefined()
    expect(run()).toHaveLength(1)
  })
})

interface Made {
  readonly run: () => readonly WeakRef<object>[]
  readonly declared: () => WeakRef<object>
}

function imported<Module = { readonly run: () => unknown }>(text: string): Promise<Module> {
  return import(`data:text/javascript,${encodeURIComponent(text)}`)
}
