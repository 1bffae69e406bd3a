/** A plot of many configurations: measured time on the x axis, predicted over measured on the y axis, both logarithmic. */
import type { Compared } from './compared.ts'

const colours = ['#1b6ca8', '#c2571a', '#2f855a', '#7b4fa3', '#8a6d1d', '#a3324c']
const [width, height, left, top, bottom, right] = [760, 420, 56, 40, 48, 190]
const span = Math.log(4)

export function scatter(
  title: string,
  rows: readonly Compared[],
  seriesOf: (row: Compared) => string,
): string {
  const series = [...new Set(rows.map(seriesOf))].sort()
  const times = rows.map(({ measured }) => Math.log10(measured))
  const [first, last] = [Math.floor(Math.min(...times)), Math.ceil(Math.max(...times))]
  const x = (seconds: number) =>
    left + ((Math.log10(seconds) - first) / (last - first)) * (width - left - right)
  const y = (ratio: number) => {
    const share = Math.max(-1, Math.min(1, Math.log(ratio) / span))
    return top + ((1 - share) / 2) * (height - top - bottom)
  }
  const line = (x1: number, y1: number, x2: number, y2: number, style: string) =>
    `<line x1="${fixed(x1)}" y1="${fixed(y1)}" x2="${fixed(x2)}" y2="${fixed(y2)}" ${style}/>`
  const text = (at: number, baseline: number, words: string, anchor = 'start') =>
    `<text x="${fixed(at)}" y="${fixed(baseline)}" text-anchor="${anchor}">${words}</text>`
  const grid = [0.25, 0.5, 0.8, 1, 1.25, 2, 4].flatMap((ratio) => [
    line(left, y(ratio), width - right, y(ratio), ratio === 1 ? 'stroke="#333"' : 'stroke="#ddd"'),
    text(left - 6, y(ratio) + 4, String(ratio), 'end'),
  ])
  const decades = Array.from({ length: last - first + 1 }, (_, at) => first + at).flatMap((power) => [
    line(x(10 ** power), top, x(10 ** power), height - bottom, 'stroke="#eee"'),
    text(x(10 ** power), height - bottom + 18, label(10 ** power), 'middle'),
  ])
  const points = rows.map((row) => {
    const colour = colours[series.indexOf(seriesOf(row)) % colours.length]
    const style =
      row.split === 'test' ? `fill="${colour}" fill-opacity="0.6"` : `fill="none" stroke="${colour}"`
    return `<circle cx="${fixed(x(row.measured))}" cy="${fixed(y(row.predicted / row.measured))}" r="3" ${style}/>`
  })
  const legend = [...series, 'filled: test, open: fit'].flatMap((name, at) => {
    const baseline = top + 16 + 20 * at
    const dot = `<circle cx="${width - right + 18}" cy="${baseline - 4}" r="4" fill="${colours[at % colours.length]}"/>`
    return [...(series.includes(name) ? [dot] : []), text(width - right + 30, baseline, name)]
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    text(left, 22, title),
    ...grid,
    ...decades,
    ...points,
    ...legend,
    text((left + width - right) / 2, height - 10, 'measured, seconds', 'middle'),
    '</svg>',
    '',
  ].join('\n')
}

const fixed = (value: number) => value.toFixed(1)
const label = (seconds: number) => (seconds < 0.01 ? seconds.toExponential(0) : String(seconds))
