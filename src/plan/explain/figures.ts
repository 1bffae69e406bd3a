/** Formats numbers for people. Units of bytes are decimal. */
import type { Bytes, Seconds } from '../../units.ts'

export function bytesText(bytes: Bytes): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']
  // The unit is chosen after rounding, so that 999.9 MB become 1 GB.
  const shown = Math.abs(Number(bytes.toPrecision(3)))
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, shown)) / 3)))
  return `${threeFigures(bytes / 1000 ** power)} ${units[power]}`
}

export function secondsText(seconds: Seconds): string {
  const shown = Number(seconds.toPrecision(3))
  if (shown >= 1) return `${threeFigures(seconds)} s`
  return shown >= 1e-3 ? `${threeFigures(seconds * 1e3)} ms` : `${threeFigures(seconds * 1e6)} us`
}

export function percent(fraction: number): string {
  return `${(fraction * 100).toFixed(1)} %`
}

/** The count with its noun: `1 sequence`, `2 sequences`, `2 batches`. */
export function counted(count: number, noun: string): string {
  if (count === 1) return `${count} ${noun}`
  return `${count} ${noun}${/(ch|s)$/.test(noun) ? 'es' : 's'}`
}

export function threeFigures(value: number): string {
  return Number(value.toPrecision(3)).toString()
}

/** A difference with its sign. */
export function signed(value: number, text: (value: number) => string): string {
  return `${value < 0 ? '-' : '+'}${text(Math.abs(value))}`
}
