/**
 * Writes failed checks as SARIF 2.1.0 (OASIS), which code scanning shows: a result for each, at its JSON pointer into
 * the request and, if the request is a file, at its line. Checks that hold are left out, because GitHub ignores `kind`
 * and would raise alerts for them (docs.github.com, SARIF support for code scanning).
 */
import type { Location, Log } from 'sarif'
import { remediesText } from '../remedies-text.ts'
import { type Checked, type Finding, failing, placedIn } from './checked.ts'

const schema = 'https://json.schemastore.org/sarif-2.1.0.json'

export function sarif(all: readonly Checked[], version: string): Log {
  const names = [...new Set(failing(all).map(({ name }) => name))]
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
        results: all.flatMap((checked) =>
          failing([checked]).map((check) => {
            const { name, message, nearest = [] } = check
            return {
              ruleId: name,
              ruleIndex: names.indexOf(name),
              kind: 'fail',
              level: 'error',
              message: { text: [message, ...remediesText(nearest)].join('\n') },
              locations: [location(checked, check)],
            }
          }),
        ),
      },
    ],
  }
}

function location(checked: Checked, check: Finding): Location {
  const { pointer } = check
  const place = placedIn(checked, check)
  const logical = pointer ? { logicalLocations: [{ fullyQualifiedName: pointer, kind: 'value' }] } : {}
  if (!place) return logical
  const uri = place.file.split('/').map(encodeURIComponent).join('/')
  const region = { startLine: place.line }
  return { physicalLocation: { artifactLocation: { uri }, region }, ...logical }
}

const ruleTexts: Readonly<Record<string, string>> = {
  request: 'The request can be read and makes sense.',
  understood: 'The framework knows all options of the launch file.',
  legal: 'A framework could run the plan.',
  fits: 'The plan fits into the memory budget.',
  minMfu: 'The plan reaches the MFU that is asked for.',
  maxStepSeconds: 'A step is no longer than is asked for.',
  withinOfBest:
    'The plan is not much worse than the best: in the time of its step or token, or of a deployment in its chips or rate.',
  notBoundBy: 'The plan is not bound by what is ruled out.',
  launchableBy: 'The frameworks that are named can launch the plan.',
  latency: 'The plan is as quick as the workload asks.',
}
