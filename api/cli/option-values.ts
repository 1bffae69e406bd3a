/** Values of options as people write them; what cannot be read is said with an example of what can. */
import { milliseconds, quantity } from './quantity.ts'
import { UsageError } from './usage-error.ts'

export function number(text: string): number {
  const found = quantity(text)
  if (found === null) throw new UsageError(`${text} is no number; write 512, 8k or 4M`)
  if (found.of === 'bytes') throw new UsageError(noCount(text))
  return found.value
}

/** A number without a unit is of bytes; so few can only be GB, or the MB that tools report. */
const leastPlainBytes = 1e6

export function bytes(text: string): number {
  const found = quantity(text)
  if (found === null) throw new UsageError(`${text} is no number of bytes; write 60GB or 56GiB`)
  if (found.of === 'count') throw new UsageError(noBytes(text))
  if (found.of === null && found.value > 0 && found.value < leastPlainBytes) {
    throw new UsageError(noBytes(text, found.value < 1000 ? 'G' : 'M'))
  }
  return found.value
}

/** For 4MB where 4M was meant, and the other way round. */
export function noCount(text: string): string {
  return `${text} is of bytes, and a count is meant: write ${text.replace(/i?B$/, '') || '4M'} (k, M and G are powers of 1024)`
}

export function noBytes(text: string, prefix = ''): string {
  const meant = `${text.toUpperCase()}${prefix}`
  return `${text} says no bytes: write ${meant}B, which is decimal, or ${meant}iB`
}

export function time(text: string): number {
  const value = milliseconds(text)
  if (value === null) throw new UsageError(`${text} is no time; write 500ms, 30s or 1m`)
  return value
}

/** A unit is asked for: a limit of `20` that was meant in milliseconds would limit nothing. */
export function seconds(text: string): number {
  if (quantity(text)?.of === null) throw new UsageError(`${text} has no unit: write ${text}ms or ${text}s`)
  return time(text) / 1000
}

export function shape(text: string): readonly number[] {
  return text.split(/[x,]/).map(number)
}

export function axesOf(text: string): Readonly<Record<string, number>> {
  const axes: Record<string, number> = {}
  for (const pair of text.split(/[,\s]+/)) {
    const [, axis = '', size = ''] = /^([a-z]\w*)[=:](\d+)$/i.exec(pair) ?? []
    if (!axis) throw new UsageError(`${text}: ${unread(pair)}`)
    if (Object.hasOwn(axes, axis)) throw new UsageError(`${text} gives ${axis} twice`)
    axes[axis] = Number(size)
  }
  return axes
}

/** `tensor24` may be 24 of `tensor` or 4 of `tensor2`: the message proposes how to write it, and nothing is assumed. */
function unread(pair: string): string {
  const [, axis, size] = /^([a-z]+)(\d+)$/i.exec(pair) ?? []
  return axis ? `write ${axis}=${size} for ${pair}` : 'write data=2,tensor=8'
}
