/** What README.md tells of the report: its table of test rows and the two figures in its text. */

import { percent } from './page.ts'
import type { Report } from './report.ts'

/** The classes of test rows that README.md lists, as it calls them. */
const listed: Readonly<Record<string, string>> = {
  'test training, dense, modern': 'training, dense, releases since 2024',
  'test training, dense, older': 'training, dense, older',
  'test training, experts, modern': 'training, mixtures of experts',
  'test time-per-output-token, dense, modern': 'time per output token, dense',
  'test time-per-output-token, experts, modern': 'time per output token, mixtures of experts',
  'test max-throughput, dense, modern': 'throughput under load, dense',
  'test max-throughput, experts, modern': 'throughput under load, mixtures of experts',
  'test request-latency, dense, older': 'whole requests, dense, older',
  'test prefill-latency, dense, modern': 'prefill, dense, releases since 2024',
  'test prefill-latency, dense, older': 'prefill, dense, older',
  'test prefill-latency, experts, modern': 'prefill, mixtures of experts',
}

/**
 * `text` of README.md with its figures as `report` has them.
 *
 * @throws Error if the text lacks one of the places where they stand, or the report one of the classes.
 */
export function withFigures(text: string, report: Pick<Report, 'classes' | 'compared'>): string {
  const summary = (name: string) => {
    const own = report.classes[name]
    if (own === undefined) throw new Error(`the report has no rows of ${name}`)
    return own
  }
  const rows = Object.entries(listed).map(([name, called]) => {
    const { configurations, median, medianError, ninetiethError } = summary(name)
    return `| ${called} | ${configurations} | ${median.toFixed(2)} | ${percent(medianError)} | ${percent(ninetiethError)} |`
  })
  const dense = summary('test training, dense, modern')
  const places: readonly (readonly [RegExp, string])[] = [
    [
      /(?<=\| \| n \| median \| median error \| nine of ten within \|\n\|.*\|\n)(\|.*\|\n)+/,
      `${rows.join('\n')}\n`,
    ],
    [/(?<=dense training since 2024 are within )\d+ %/, percent(dense.ninetiethError)],
    [/(?<=can be compared, )[\d ]+(?=\s+of them)/, report.compared.toLocaleString('en').replace(',', ' ')],
  ]
  return places.reduce((changed, [place, figure]) => {
    if (!place.test(changed)) throw new Error(`README.md has no place for ${figure}`)
    return changed.replace(place, figure)
  }, text)
}
