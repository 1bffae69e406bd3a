/** What a change means in a launch file: the file with the settings that are told is read as the changed request. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { changed } from '../../api/hints/change.ts'
import type { InFile } from '../../src/launch/in-file.ts'
import type { Change } from '../../src/rules/part-rule.ts'
import { runs } from '../runs.ts'
import { planning } from './planning.ts'
import { service } from './service.ts'

const agent = service({ search: planning })

interface Published {
  readonly name: string
  readonly request: object
  readonly key: string
  readonly file: string
}

const { files } = JSON.parse(readFileSync('fixtures/launch-files.json', 'utf8')) as {
  readonly files: readonly Published[]
}

async function asked(path: string, body: object) {
  const { status, body: answer, text } = await agent.post(path).send(body)
  expect(status, text.slice(0, 500)).toBe(200)
  return answer
}

/** The text with settings taken away, and others put in their place or at the end. */
function edited(text: string, { set, unset }: InFile): string {
  const without = unset.reduce((rest, setting) => rest.replace(placeOf(setting), ' '), text)
  return set.reduce((rest, setting) => {
    const place = placeOf(setting)
    return place.test(rest) ? rest.replace(place, ` ${setting}`) : `${rest.trimEnd()} ${setting}`
  }, without)
}

function placeOf(setting: string): RegExp {
  const [name = ''] = setting.split(/[ =]/)
  return new RegExp(name.startsWith('--') ? `\\s${name}(?= |$)( (?!--)[^\\s]+)*` : `\\s${name}=\\S*`)
}

const rows = [
  ['Megatron 1T of the SC21 paper', 0.45],
  ['Llama 2 70B under MaxText on v5p', 0.1],
] as const

describe('a change of a launch file', () => {
  it.each(rows)('of %s, as its settings are told, is read as the changed request', async (name, fraction) => {
    const published = files.find((file) => file.name === name)
    if (!published) throw new Error(`there is no ${name}`)
    const { request, key, file } = published
    const own = { ...request, memoryBudget: { fraction } }
    const answer = await asked('/evaluate', { ...own, plan: { [key]: file } })
    const told = (
      answer.suggestions as readonly (Change & { also?: readonly Change[]; inFile?: InFile })[]
    ).filter(({ inFile }) => inFile)
    expect(told.length).toBeGreaterThan(0)
    for (const { pointer, value, also = [], inFile } of told.slice(-runs(1))) {
      const after = changed(answer, [{ pointer, value }, ...also]) as typeof answer
      const { plan } = await asked('/evaluate', after.read.request)
      const again = await asked('/evaluate', {
        ...own,
        hardware: after.read.request.hardware,
        plan: { [key]: edited(file, inFile as InFile) },
      })
      expect(again.plan.feasible).toBe(true)
      expect(again.plan.summary).toBe(plan.summary)
      expect(again.plan.stepTimeSeconds).toBeCloseTo(plan.stepTimeSeconds, 9)
    }
  })
})
