/** Random layout questions, and all their choices tried one after another: no bound, no order, no solver. */
import fc from 'fast-check'
import type {
  ComponentOptions,
  LayoutQuestion,
  Resharding,
} from '../../../src/search/component-layout/question.ts'
import { whole } from '../../law.ts'

export interface Choice {
  readonly chosen: readonly number[]
  readonly seconds: number
  readonly bytes: number
}

export function* everyChoice(
  { components, resharding }: LayoutQuestion,
  chosen: readonly number[] = [],
): Generator<Choice> {
  const next = components[chosen.length]
  if (next) {
    for (const i of next.options.keys())
      yield* everyChoice({ components, resharding, budget: 0 }, [...chosen, i])
    return
  }
  const options = components.flatMap((component, k) => component.options.slice(chosen[k]).slice(0, 1))
  const moves = resharding.map(
    ({ from, to, seconds }) => seconds[chosen[from] ?? -1]?.[chosen[to] ?? -1] ?? NaN,
  )
  yield {
    chosen,
    seconds: [...options.map(({ seconds }) => seconds), ...moves].reduce((sum, each) => sum + each, 0),
    bytes:
      options.reduce((sum, { bytes }) => sum + bytes, 0) +
      Math.max(0, ...options.map(({ workspace }) => workspace)),
  }
}

/** The fastest that fits, of equals the one whose options come first; null where nothing fits. */
export function bestOfAll(question: LayoutQuestion): Choice | null {
  let best: Choice | null = null
  for (const choice of everyChoice(question)) {
    const faster = choice.seconds < (best?.seconds ?? Number.POSITIVE_INFINITY)
    if (choice.bytes <= question.budget && faster) best = choice
  }
  return best
}

const gibibyte = 2 ** 30

export interface Numbers {
  readonly seconds: fc.Arbitrary<number>
  readonly bytes: fc.Arbitrary<number>
}

/** Whole numbers, of which many are alike: sums are exact, and equals abound. */
export const plain: Numbers = { seconds: whole(0, 6), bytes: whole(0, 12) }

/** Milliseconds and gibibytes as plans have them. */
export const real: Numbers = {
  seconds: whole(0, 1e6).map((nanoseconds) => nanoseconds * 1.23456789e-9),
  bytes: whole(0, 1e6).map((part) => Math.round(part * 16e-6 * gibibyte)),
}

/** Any number of components and of edges between them: cycles, the same two again, and a component with itself. */
export function layoutQuestions({ seconds, bytes }: Numbers): fc.Arbitrary<LayoutQuestion> {
  const option = fc.record({ name: fc.constant('a layout'), seconds, bytes, workspace: bytes })
  const component: fc.Arbitrary<ComponentOptions> = fc.record({
    name: fc.constant('a component'),
    options: fc.array(option, { minLength: 1, maxLength: 4 }),
  })
  return fc.array(component, { minLength: 1, maxLength: 4 }).chain((components) => {
    const position = whole(0, components.length - 1)
    const edge = fc.tuple(position, position).chain(([from, to]): fc.Arbitrary<Resharding> => {
      const lengths = [from, to].map((k) => components[k]?.options.length ?? 0)
      const [rows, columns] = lengths.map((length) => ({ minLength: length, maxLength: length }))
      return fc
        .array(fc.array(fc.oneof(fc.constant(0), seconds), columns), rows)
        .map((table) => ({ from, to, seconds: table }))
    })
    return fc
      .record({ resharding: fc.array(edge, { maxLength: 6 }), budget: budgets(components) })
      .map((rest) => ({ components, ...rest }))
  })
}

/** From what the leanest options take, or a byte less, to what the fattest do; and to the byte what some choice takes. */
function budgets(components: readonly ComponentOptions[]): fc.Arbitrary<number> {
  const choices = [...everyChoice({ components, resharding: [], budget: 0 })].map(({ bytes }) => bytes)
  const least = Math.min(...choices)
  const most = Math.max(...choices)
  return fc.oneof(
    whole(0, 1000).map((thousandths) => least + Math.floor(((most - least) * thousandths) / 1000)),
    fc.constantFrom(...choices),
    fc.constantFrom(...choices).map((bytes) => bytes - 1),
  )
}
