/**
 * A text that is eight times as long takes about eight times as long to read, and not sixty-four times: a request may be a text of 200,000
 * characters. Two times of one machine are compared, so that its speed is none of it.
 */
import { expect, it } from 'vitest'
import { readerOf } from '../../api/translate/launch/file.ts'
import { uncommented } from '../../api/uncommented.ts'
import type { ReadingContext } from '../../src/launch/read/reading.ts'
import { readScript } from '../../src/launch/read/shell/script.ts'

const longest = 200_000
const attempts = 5

const context: ReadingContext = { chips: 8, slices: 1, mode: 'generate', model: null }

type Reads = (text: string) => unknown

const texts: readonly (readonly [name: string, reads: Reads, text: (length: number) => string])[] = [
  ['functions in lines that nothing closes', readScript, (length) => repeated('f() {\n', length)],
  ['functions in a line that nothing closes', readScript, (length) => repeated('f() { ', length)],
  ['blanks before a function', readScript, (length) => `${' '.repeat(length)}x; f() {\na\n}\n`],
  ['calculations that nothing closes', readScript, (length) => repeated('((a\n', length)],
  ['brackets that nothing closes', readScript, (length) => repeated('(', length)],
  ['patterns of a case', readScript, (length) => `case x in ${repeated('a|', length)}`],
  [
    'words beside files that it writes',
    readScript,
    (length) => `${repeated('cat >f <<E\nE\n', length / 2)}bash ${repeated('x ', length / 2)}`,
  ],
  [
    'blank lines of a file that a server reads',
    (text) => readerOf({ tensorrtLlm: text })(context),
    (length) =>
      `cat > c.yaml <<'E'\na: 1\n${repeated('\n', length)}E\ntrtllm-serve m --extra_llm_api_options c.yaml`,
  ],
  [
    'commands that name a file of options',
    (text) => readerOf({ vllm: text })(context),
    (length) =>
      `cat > c <<'E'\n${repeated('# a comment\n', length / 2)}max-model-len: 8192\nE\n${repeated('vllm serve a --config c\n', length / 2)}`,
  ],
  [
    'blank lines of no file',
    (text) => readerOf({ tensorrtLlm: text })(context),
    (length) => `${repeated('\n', length)}=`,
  ],
  [
    'values of an option',
    (text) => readerOf({ sglang: text })(context),
    (length) => `python -m sglang.launch_server --model-path a ${repeated('a ', length)}`,
  ],
  ['errors of a file of settings', refused, (length) => repeated('[0]*', length)],
  ['comments that nothing closes', uncommented, (length) => `{${repeated('/* ', length)}`],
  ['strings that nothing closes', uncommented, (length) => `{${repeated('"\\', length)}`],
]

function refused(maxtext: string): void {
  expect(() => readerOf({ maxtext })(context)).toThrow(/at line 1, column \d+$/)
}

function repeated(unit: string, length: number): string {
  return unit.repeat(length / unit.length)
}

function seconds(reads: Reads, text: string): number {
  const before = process.cpuUsage()
  reads(text)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}

it.each(texts)('%s', (_, reads, text) => {
  const short = text(longest / 8)
  const long = text(longest)
  reads(short)
  const ratio = () => seconds(reads, long) / seconds(reads, short)
  // What else the process does may fall into one of the times.
  const ratios: number[] = []
  while (ratios.length < attempts && !ratios.some((one) => one < 24)) ratios.push(ratio())
  expect(Math.min(...ratios)).toBeLessThan(24)
})
