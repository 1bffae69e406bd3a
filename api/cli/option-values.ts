/** Values of options as people write them; what cannot be read is said with an example of what can. */
import { milliseconds, quantity } from './quantity.ts'
import { UsageError } from './usage-error.ts'

export function number(text: string): number {
  const found = quantity(text)
  if (found === null) throw new UsageError(`${text} is no number; write 512, 8k or 4M`)
  if (found.of === 'bytes') throw new UsageError(noCount(text))
  return found.value
}

export function bytes(text: string): number {
  const found = quantity(text)
  if (found === null) throw new UsageError(`${text} is no number of bytes; write 60GB or 56GiB`)
  if (found.of === 'count') throw new UsageError(noBytes(text))
  return found.value
}

/** For 4MB where 4M was meant, and the other way round. */
export function noCount(text: string): string {
  return `${text} is of bytes, and a count is meant: write ${text.replace(/i?B$/, '') || '4M'} (k, M and G are powers of 1024)`
}

export function noBytes(text: string): string {
  return `${text} says no bytes: write ${text.toUpperCase()}B, which is decimal, or ${text.toUpperCase()}iB`
}

export function time(text: string): number {
  const value = milliseconds(text)
  if (value === null) throw new UsageError(`${text} is no time; write 500ms, 30s or 1m`)
  return value
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

/** `tensor24` is 24 of one axis or 4 of another, so that nothing is taken for granted. */
function unread(pair: string): string {
  const [, axis, size] = /^([a-z]+)(\d+)$/i.exec(pair) ?? []
  return axis ? `write ${axis}=${size} for ${pair}` : 'write data=2,tensor=8'
}
