/** Finds values of options that Megatron-LM's parser refuses, by what its source says that they are (fixtures/options/megatron.json). */
import { readFileSync } from 'node:fs'

type Kind = 'int' | 'float' | 'flag' | 'text'

interface Values extends Readonly<Record<Kind, readonly string[]>> {
  readonly choices: Readonly<Record<string, readonly string[]>>
}

const values: Values = JSON.parse(readFileSync('fixtures/options/megatron.json', 'utf8')).values

const kinds = new Map(
  (['int', 'float', 'flag', 'text'] as const).flatMap((kind) =>
    values[kind].map((name) => [name, kind] as const),
  ),
)

/** As Python's int() and float() read them. */
const takes: Readonly<Record<Kind, (value: string) => boolean>> = {
  int: (value) => /^[+-]?\d+$/.test(value),
  float: (value) => /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(value),
  flag: () => false,
  text: (value) => value.length > 0,
}

/** Options with values that are refused, and how many were held to something. */
export function refusedValues(words: readonly string[]): {
  readonly refused: readonly string[]
  readonly held: number
} {
  const refused: string[] = []
  let held = 0
  for (const [at, name] of words.entries()) {
    if (!isOption(name)) continue
    const end = words.findIndex((word, other) => other > at && isOption(word))
    const given = words.slice(at + 1, end < 0 ? words.length : end)
    const among = values.choices[name]
    const kind = kinds.get(name)
    if (!among && !kind) continue
    held++
    const right = (value: string) =>
      among ? among.includes(value) : kind !== undefined && takes[kind](value)
    const count = kind === 'flag' ? 0 : 1
    if (given.length !== count || !given.every(right)) {
      refused.push(`${[name, ...given].join(' ')}, which is ${among ? among.join(' or ') : kind}`)
    }
  }
  return { refused, held }
}

function isOption(word: string): boolean {
  return /^--[a-z]/i.test(word)
}
