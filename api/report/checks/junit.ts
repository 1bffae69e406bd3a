/**
 * Writes checks as JUnit XML, which every CI system reads: a suite for each file, a test case for each check, with a
 * failure if it does not hold, and as its output what is told beside them. Viewers group cases by their class, which is the file.
 */
import { create } from 'xmlbuilder2'
import { remediesText } from '../remedies-text.ts'
import { type Checked, planLines } from './checked.ts'

export function junit(all: readonly Checked[]): string {
  const root = create({ version: '1.0', encoding: 'UTF-8' }).ele('testsuites')
  for (const checked of all) {
    const { file, checks, warnings } = checked
    const failures = checks.filter(({ ok }) => !ok).length
    const classname = file ?? 'shardplan'
    const counts = { tests: checks.length, failures, errors: 0, skipped: 0 }
    const suite = root.ele('testsuite', { name: classname, ...counts })
    const titles = apart(checks.map(({ name, pointer }) => [name, pointer].filter(Boolean).join(' ')))
    for (const [index, { name, ok, message, expected, actual, nearest = [] }] of checks.entries()) {
      const at = { classname, name: titles[index], time: 0, ...(file ? { file } : {}) }
      const one = suite.ele('testcase', at)
      if (ok) continue
      const lines = [message, `expected: ${expected}`, `actual: ${actual}`, ...remediesText(nearest)]
      one.ele('failure', { type: name, message }).txt(lines.join('\n'))
    }
    const told = [...planLines(checked), ...warnings.map((one) => `note  ${one}`)]
    if (told.length > 0) suite.ele('system-out').txt(told.join('\n'))
  }
  return `${root.end({ prettyPrint: true })}\n`
}

/** Readers take cases of one class and name for the same test, and show one of them: the second is numbered, and so on. */
function apart(titles: readonly string[]): readonly string[] {
  const met = new Map<string, number>()
  return titles.map((title) => {
    const times = (met.get(title) ?? 0) + 1
    met.set(title, times)
    return times === 1 ? title : `${title} (${times})`
  })
}
