/** The line of a launch file that a finding is about: that of the option it names, or of an option that says its field, or else of the command. */
import { optionsOfField } from '../../src/launch/field-options.ts'
import { dashesOf, likeDashes } from '../../src/launch/read/dashes.ts'
import type { Finding, Place } from '../report/checks/checked.ts'

/** A launch file, or the lines of a request that one stands in. */
export interface LaunchText {
  readonly file: string
  readonly text: string
  /** Line of the file that the text begins at. */
  readonly first: number
}

/** Null only where there is no text. */
export function placeInLaunch(finding: Finding, texts: readonly LaunchText[]): Place | null {
  const [own] = texts
  const said = new Set([...named(finding.message), ...fieldsIn(finding).flatMap(optionsOfField)])
  for (const option of said) {
    for (const pattern of [spelledAs(option), asKey(option)]) {
      for (const text of texts) {
        const place = lastLine(text, pattern)
        if (place) return place
      }
    }
  }
  return own ? (lastLine(own, command) ?? { file: own.file, line: own.first }) : null
}

/** Words of a message that look like options or keys, in order: keys of sections by their own names as well. */
function named(message: string): readonly string[] {
  const words = message.match(optionOrKey) ?? []
  return words.flatMap((word) => (word.includes('.') ? [word, word.replace(/^.*\./, '')] : [word]))
}

const optionOrKey = new RegExp(`[${likeDashes}]{1,3}[a-z][\\w.-]*|\\b[a-z]\\w*(?:[._][a-z]\\w*)+\\b`, 'gi')

/** What a file says for a field of the request is told by the field's pointer in front of the message. */
function fieldsIn({ pointer, message }: Finding): readonly string[] {
  const told =
    message.match(/(?<![\w/])\/(?:plan|workload|hardware|model|precision|memoryBudget)[\w/]*/g) ?? []
  return [...told, pointer]
}

/** The option as a word of its own, with hyphens or underscores, and as a key that may have a section before it. */
function spelledAs(option: string): RegExp {
  const [dashes, name] = dashesOf(option)
  const letters = lettersOf(name)
  const before = dashes === '' ? `(?:--?|(?<=\\.))?` : dashes
  return new RegExp(`(?<![^\\s"'\`=(,{[.])${before}${letters}(?![\\w-])`)
}

/** The option as a key of a file of options, which has it without its hyphens. */
function asKey(option: string): RegExp {
  return new RegExp(`^\\s*["']?${lettersOf(option.replace(/^-+/, ''))}["']?\\s*:`)
}

function lettersOf(name: string): string {
  return name.replaceAll(/[^\w-]/g, '\\$&').replaceAll(/[-_]/g, '[-_]')
}

/** What starts a job: its programs, or any Python file. */
const command =
  /\b(torchrun|srun|deepspeed|accelerate launch|vllm serve|sglang|trtllm-serve|vllm\.entrypoints|dynamo\.\w+|\S+\.py)\b/

/** Of several that match the last, which is what counts for a parser of options; comments are left out. */
function lastLine({ file, text, first }: LaunchText, pattern: RegExp): Place | null {
  const lines = text.split('\n')
  const at = lines.findLastIndex((line) => !isComment(line) && pattern.test(line))
  return at < 0 ? null : { file, line: first + at }
}

function isComment(line: string): boolean {
  return /^\s*(#(?!SBATCH)|\/\/)/.test(line)
}
