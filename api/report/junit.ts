/** Checks as JUnit XML, which every CI system reads: a test case each, those that do not hold with a failure. */
import { create } from 'xmlbuilder2'
import type { Validation } from '../../src/validate.ts'
import { remediesText } from './remedies-text.ts'

export function junit({ checks }: Validation): string {
  const failures = checks.filter(({ ok }) => !ok).length
  const suite = create({ version: '1.0', encoding: 'UTF-8' })
    .ele('testsuites')
    .ele('testsuite', { name: 'shardplan', tests: checks.length, failures, errors: 0, skipped: 0 })
  for (const { name, pointer, ok, message, expected, actual, nearest = [] } of checks) {
    const one = suite.ele('testcase', { classname: `shardplan.${name}`, name: pointer, time: 0 })
    if (ok) continue
    const lines = [message, `expected: ${expected}`, `actual: ${actual}`, ...remediesText(nearest)]
    one.ele('failure', { type: name, message }).txt(lines.join('\n'))
  }
  return `${suite.end({ prettyPrint: true })}\n`
}
