/**
 * Writes failed checks, doubts and notes as SARIF 2.1.0 (OASIS), which code scanning shows: a result for each, at its JSON pointer into
 * the request and, if the request is a file, at its line. Checks that hold are left out, because GitHub ignores `kind`
 * and would raise alerts for them (docs.github.com, SARIF support for code scanning).
 */
import type { Location, Log, Result } from 'sarif'
import { compact } from '../../../src/compact.ts'
import { remediesText } from '../remedies-text.ts'
import { type Checked, type Finding, failing, placedIn, remarksOf } from './checked.ts'

const schema = 'https://json.schemastore.org/sarif-2.1.0.json'

export function sarif(all: readonly Checked[], version: string): Log {
  const told = all.flatMap(resultsOf)
  const names = [...new Set(told.map(({ ruleId }) => ruleId))]
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
        results: told.map(({ ruleId, ...rest }) => ({
          ...{ ruleId, ruleIndex: names.indexOf(ruleId) },
          // Of any other kind a result has no level.
          kind: 'fail',
          ...rest,
        })),
      },
    ],
  }
}

interface Told extends Pick<Result, 'message' | 'locations'> {
  readonly ruleId: string
  readonly level: 'error' | 'warning' | 'note'
}

function resultsOf(checked: Checked): readonly Told[] {
  const { doubts, note } = remarksOf(checked)
  const at = (finding: Finding) => [location(checked, finding)]
  return compact(
    failing([checked]).map((check): Told => {
      const text = [check.message, ...remediesText(check.nearest ?? [])].join('\n')
      return { ruleId: check.name, level: 'error', message: { text }, locations: at(check) }
    }),
    doubts.map((one): Told => {
      return { ruleId: 'doubt', level: 'warning', message: { text: one.message }, locations: at(one) }
    }),
    note && {
      ...{ ruleId: 'note', level: 'note' as const, message: { text: note.message } },
      locations: at({ ...note, message: '' }),
    },
  )
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
  doubt: 'What runs is what was checked, and what was meant.',
  note: 'What is assumed of the plan, and how good it is.',
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
