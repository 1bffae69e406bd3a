/** Options of Megatron-LM that are keys of a file of YAML. */
import { isScalar, LineCounter, parseDocument, visit } from 'yaml'
import { isFields } from '../../../src/fields.ts'
import { textOf } from '../../../src/launch/read/fields.ts'
import { yamlValue } from './yaml-value.ts'

const deepest = 6

/**
 * The options that are keys of a file, `--num-layers: 61` (yanring/Megatron-MoE-ModelZoo e865051, model_configs/); any other text stays as it
 * is. Of a key that stands twice the last counts, as in PyYAML.
 */
export function megatronWords(text: string): string | readonly string[] {
  if (!isOfOptions(text)) return text
  const options = optionsIn(parsed(text), 0)
  return options.length > 0 ? ['pretrain_gpt.py', ...options] : text
}

function isOfOptions(text: string): boolean {
  return /^[ \t]*--[\w-]+:(\s|$)/m.test(text)
}

function parsed(text: string): unknown {
  try {
    return yamlValue(text, { lastCounts: true })
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

/** Notes on keys that stand twice in one map. */
export function repeatedKeys(text: string): readonly string[] {
  if (!isOfOptions(text)) return []
  const lines = new LineCounter()
  const notes: string[] = []
  visit(parseDocument(text, { lineCounter: lines, uniqueKeys: false, logLevel: 'error' }), {
    Map: (_, { items }) => {
      const seen = new Map<unknown, number>()
      for (const { key } of items) {
        if (!isScalar(key) || !key.range) continue
        const { line } = lines.linePos(key.range[0])
        const before = seen.get(key.value)
        if (before !== undefined)
          notes.push(`${key.value} stands twice, in lines ${before} and ${line}: the last counts`)
        seen.set(key.value, line)
      }
    },
  })
  return notes
}

/**
 * An option with what a key of YAML holds: nothing where that turns it off. A list may stand as a text in brackets, which the launcher of
 * Megatron-LM's functional tests takes off (NVIDIA/Megatron-LM @d98e8a64dd, tests/functional_tests/shell_test_utils/_run_training.sh).
 */
export function wordsOf(option: string, held: unknown): readonly string[] {
  if (held === false || held === null) return []
  if (held === true) return [option]
  const listed = typeof held === 'string' ? /^\s*\[([^\]]+)\]\s*$/.exec(held)?.[1] : undefined
  if (listed !== undefined) return [option, ...listed.split(/\s+/).filter(Boolean)]
  return [option, ...(Array.isArray(held) ? held.map(textOf) : [textOf(held)])]
}
