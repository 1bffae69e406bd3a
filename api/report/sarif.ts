/**
 * Checks as SARIF 2.1.0 (OASIS), which code scanning shows: a result each, `pass` or `fail`, at the JSON pointer in the request
 * that it is about. The service does not know in which file the request stands; whoever does may add it.
 */
import type { Validation } from '../../src/validate.ts'
import { remediesText } from './remedies-text.ts'

const schema = 'https://json.schemastore.org/sarif-2.1.0.json'

export function sarif({ checks }: Validation, version: string) {
  const names = [...new Set(checks.map(({ name }) => name))]
  return {
    $schema: schema,
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'shardplan',
            semanticVersion: version,
            rules: names.map((id) => ({ id, name: id, shortDescription: { text: ruleTexts[id] ?? id } })),
          },
        },
        results: checks.map(({ name, ok, pointer, message, nearest = [] }) => ({
          ruleId: name,
          ruleIndex: names.indexOf(name),
          kind: ok ? 'pass' : 'fail',
          level: ok ? 'none' : 'error',
          message: { text: [message, ...remediesText(nearest)].join('\n') },
          locations: [{ logicalLocations: [{ fullyQualifiedName: pointer, kind: 'value' }] }],
        })),
      },
    ],
  }
}

const ruleTexts: Readonly<Record<string, string>> = {
  legal: 'A framework could run the plan.',
  fits: 'The plan fits into the memory budget.',
  minMfu: 'The plan reaches the MFU that is asked for.',
  maxStepSeconds: 'A step is no longer than is asked for.',
  withinOfBest: 'A step is not much longer than that of the best plan.',
  notBoundBy: 'The plan is not bound by what is ruled out.',
  launchableBy: 'The frameworks that are named can launch the plan.',
  latency: 'The plan is as quick as the workload asks.',
}
