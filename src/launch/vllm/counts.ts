/**
 * Numbers of vLLM that may have a unit: 32768, 32k, 32K. Source: vllm-project/vllm, vllm/engine/arg_utils.py (human_readable_int and
 * human_readable_int_or_auto), where anything else is an error of the parser.
 */
import { emptyText, type Options, unset } from '../read/options.ts'
import { pythonInt } from '../read/python-numbers.ts'

const units: Readonly<Record<string, number>> = {
  ...{ k: 1e3, m: 1e6, g: 1e9, t: 1e12 },
  ...{ K: 2 ** 10, M: 2 ** 20, G: 2 ** 30, T: 2 ** 40 },
}

/** A terabyte is more memory than any chip has, and more of all else than anything. */
const mostBytes = 1e12

export interface Counted {
  /** Null where the option is not given, is no number, or stands for whatever fits. */
  readonly value: number | null
  readonly fault: string | null
}

/** `fitting` are the words for whatever fits. */
export function countOf(options: Options, option: string, fitting?: RegExp): Counted {
  const [text] = options.values(option) ?? []
  if (!options.has(option)) return { value: null, fault: null }
  if (text === undefined) return { value: null, fault: `${option} has no value` }
  if (text === '') return { value: null, fault: emptyText(option) }
  if (fitting?.test(text)) return { value: null, fault: null }
  const value = numberIn(text)
  if (value !== null && value >= 1 && value <= mostBytes) return { value, fault: null }
  const why = /\$|\{\{/.test(text) ? unset(text) : value === null ? 'which is no number' : 'which is no count'
  return { value: null, fault: `${option} is ${text.slice(0, 100)}, ${why}${nearestOf(text)}` }
}

/** Decimals go with units of tens alone. */
function numberIn(text: string): number | null {
  const [, number = '', decimals = '', unit = ''] = /^(\d+)(\.\d+)?([kKmMgGtT])$/.exec(text.trim()) ?? []
  if (number !== '') {
    const isWhole = decimals === '' || unit === unit.toLowerCase()
    return isWhole ? Math.trunc(Number(`${number}${decimals}`) * (units[unit] ?? 1)) : null
  }
  return pythonInt(text.trim())
}

/** What vLLM takes in place of thousands with commas, and of decimals with a unit of powers of two. */
function nearestOf(text: string): string {
  if (/^\d{1,3}(,\d{3})+$/.test(text)) return `: the nearest is ${text.replaceAll(',', '')}`
  return /^\d+\.\d+[KMGT]$/.test(text) ? `: the nearest is ${text.toLowerCase()}` : ''
}
