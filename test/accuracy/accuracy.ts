/**
 * Compares predictions with all published times and memory: `npm run accuracy`. Fails if they are worse than recorded;
 * `npm run accuracy -- --record` records them in fixtures/accuracy.json, fixtures/residuals.json, fixtures/recipes.json,
 * docs/accuracy.md and the figures of README.md.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import type { Residuals } from '../../src/plan/certainty/residuals.ts'
import { isCompared } from './compared.ts'
import { grownWorse } from './grown-worse.ts'
import { stackedInference } from './inference/outcomes.ts'
import { modelRecord } from './model-record.ts'
import { figures, page } from './page.ts'
import { withFigures } from './readme.ts'
import { recipeRecords } from './recipe-record.ts'
import { outcomes, type Report, report } from './report.ts'
import { certainty, residualRecord, residuals } from './residual-record.ts'
import { scatter } from './scatter.ts'
import { sources } from './software.ts'
import { stackedRuns, trainingAsAsked } from './training/outcomes.ts'

const root = new URL('../../', import.meta.url)
const recordFile = new URL('fixtures/accuracy.json', root)

const residualFile = new URL('fixtures/residuals.json', root)

const all = outcomes()
const bare = [...stackedRuns(() => ({})), ...stackedInference(() => ({}))]
const rows = all.filter(isCompared)
const asAsked = trainingAsAsked()
const known = [...residuals(rows, sources()), ...residuals(asAsked, sources(), false)]
const record = process.argv.includes('--record')
// Held to how far bands are drawn apart as it is recorded, with the runs as they are predicted now.
const certain: Residuals = record
  ? { ...residualRecord(known, rows), models: [...modelRecord(rows), ...modelRecord(asAsked, false)] }
  : JSON.parse(readFileSync(residualFile, 'utf8'))
const stacked = { own: [...stackedRuns(), ...stackedInference()], bare, asAsked }
const found = report(all, stacked, certainty(known, certain))

if (record) {
  const bands = `${JSON.stringify(certain, null, 2)}\n`
  // What follows from them in plans was predicted with those recorded before.
  if (bands !== readFileSync(residualFile, 'utf8')) {
    process.stderr.write('The bands have moved: record once more, as shares within bounds follow from them\n')
    process.exitCode = 1
  }
  const recipes = recipeRecords().map((recipe) => `  ${JSON.stringify(recipe)}`)
  writeFileSync(new URL('fixtures/recipes.json', root), `[\n${recipes.join(',\n')}\n]\n`)
  writeFileSync(residualFile, bands)
  writeFileSync(recordFile, `${JSON.stringify(found, null, 2)}\n`)
  writeFileSync(new URL('docs/accuracy.md', root), page(found))
  const readme = new URL('README.md', root)
  writeFileSync(readme, withFigures(readFileSync(readme, 'utf8'), found))
  const [training, inference] = figures
  const write = (file: string, svg: string) => writeFileSync(new URL(`docs/figures/${file}`, root), svg)
  const ofTraining = rows.filter(({ phase }) => phase === 'training')
  const ofInference = rows.filter(({ phase }) => phase !== 'training')
  write(
    training.file,
    scatter(training.title, ofTraining, ({ kind, era }) => `${kind}, ${era}`),
  )
  write(
    inference.file,
    scatter(inference.title, ofInference, ({ phase }) => phase),
  )
} else {
  process.stdout.write(page(found))
  const recorded: Report = JSON.parse(readFileSync(recordFile, 'utf8'))
  const faults = grownWorse(found, recorded)
  if (faults.length > 0) {
    process.stderr.write(`\nWorse than recorded:\n${faults.map((fault) => `  ${fault}\n`).join('')}`)
    process.exitCode = 1
  }
}
