/** What is told where a command hands its options to another script, which adds those of the model and starts Megatron-LM. */
import { compact } from '../../../compact.ts'
import type { Script } from '../../read/shell/script.ts'

type HandedIn = Pick<Script, 'commands' | 'variables' | 'documents'>

/** In place of a fault where the options lay out the model: what else the script says is not known. */
export function handedNote(handedTo: string, script: HandedIn): string {
  return `the options are handed to ${whereItIs(handedTo, script)}: what it adds is not read, and Megatron-LM's defaults are taken for it`
}

/** The script, or what that one reads, says all that a plan needs. */
export function noModel(handedTo: string, script: HandedIn): string {
  return `a few options are handed to ${whereItIs(handedTo, script)} and has the others: send what it starts, torchrun … pretrain_gpt.py …, with all of them`
}

function whereItIs(handedTo: string, script: HandedIn): string {
  const name = handedTo.slice(0, 100)
  if (!isHere(handedTo, script)) return `${name}, which is not here`
  const stops = stopping(script)
  const why = stops.length > 0 ? ` (${stops.join('; ')})` : ''
  return `${name}, which is here, starts no program of Megatron-LM that the text names${why}`
}

function isHere(path: string, { documents }: HandedIn): boolean {
  return [...documents.keys()].some((name) => nameOf(name) === nameOf(path))
}

/** What of a script only a shell would know, one of each kind: files that it sources, what programs print, a program that a variable names. */
function stopping(script: HandedIn): readonly string[] {
  const { commands, variables } = script
  const sourced = commands
    .filter(([first]) => first === 'source' || first === '.')
    .flatMap(([, path = '']) => (isHere(path, script) ? [] : [path]))
  const [printed] = [...variables].filter(([, [value = '']]) => /\$\(\s*(yq|jq|python3?)\b/.test(value))
  const texts = [...variables.values(), ...commands].map((words) => words.join(' '))
  const [program] = texts.flatMap((text) => /\bpython3?\s+(?:-\S+\s+)*(\$\{?\w+\}?)/.exec(text)?.[1] ?? [])
  const [, by] = /\$\(\s*(\w+)/.exec(printed?.[1][0] ?? '') ?? []
  return compact(
    sourced.length > 0 &&
      `it sources ${sourced.slice(0, 3).map(nameOf).join(', ').slice(0, 200)}, not beside it`,
    by !== undefined && `${printed?.[0]} is what ${by} prints`,
    program !== undefined && `it starts python ${program}, which the text does not set`,
  )
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
