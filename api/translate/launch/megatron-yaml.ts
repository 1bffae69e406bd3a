/** Options of Megatron-LM that are keys of a file of YAML. */
import { isFields } from '../../../src/fields.ts'
import { textOf } from '../../../src/launch/read/fields.ts'
import { yamlValue } from './yaml-value.ts'

const deepest = 6

/** The options that are keys of a file, `--num-layers: 61` (yanring/Megatron-MoE-ModelZoo e865051, model_configs/); any other text stays as it is. */
export function megatronWords(text: string): string | readonly string[] {
  if (!/^[ \t]*--[\w-]+:(\s|$)/m.test(text)) return text
  const options = optionsIn(parsed(text), 0)
  return options.length > 0 ? ['pretrain_gpt.py', ...options] : text
}

function parsed(text: string): unknown {
  try {
    return yamlValue(text)
  } catch {
    return null
  }
}

function optionsIn(value: unknown, depth: number): readonly string[] {
  if (!isFields(value) || depth > deepest) return []
  return Object.entries(value).flatMap(([key, held]) =>
    key.startsWith('--') ? wordsOf(key, held) : optionsIn(held, depth + 1),
  )
}

/** An option with what a key of YAML holds: nothing where that turns it off. */
export function wordsOf(option: string, held: unknown): readonly string[] {
  if (held === false || held === null) return []
  if (held === true) return [option]
  return [option, ...(Array.isArray(held) ? held.map(textOf) : [textOf(held)])]
}
