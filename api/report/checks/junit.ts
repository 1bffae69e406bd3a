/**
 * Writes checks as JUnit XML, which every CI system reads: a suite for each file, a test case for each check, with a
 * failure if it does not hold. Viewers group cases by their class, which is the file.
 */
import { create } from 'xmlbuilder2'
import { remediesText } from '../remedies-text.ts'
import type { Checked } from './checked.ts'

export function junit(all: readonly Checked[]): string {
  const root = create({ version: '1.0', encoding: 'UTF-8' }).ele('testsuites')
  for (const { file, checks } of all) {
    const failures = checks.filter(({ ok }) => !ok).length
    const classname = file ?? 'shardplan'
    const counts = { tests: checks.length, failures, errors: 0, skipped: 0 }
    const suite = root.ele('testsuite', { name: classname, ...counts })
    for (const { name, pointer, ok, message, expected, actual, nearest = [] } of checks) {
      const title = [name, pointer].filter(Boolean).join(' ')
      const at = { classname, name: title, time: 0, ...(file ? { file } : {}) }
      const one = suite.ele('testcase', at)
      if (ok) continue
      const lines = [message, `expected: ${expected}`, `actual: ${actual}`, ...remediesText(nearest)]
      one.ele('failure', { type: name, message }).txt(lines.join('\n'))
    }
  }
  return `${root.end({ prettyPrint: true })}\n`
}
