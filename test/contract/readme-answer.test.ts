/** What README.md shows as printed and answered is what the command prints and the service answers today. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { run } from '../cli/world.ts'
import { planning } from '../http/planning.ts'
import { service } from '../http/service.ts'

const text = readFileSync('README.md', 'utf8')

it('the command prints the table that README.md shows', async () => {
  const [, args = ''] = /^ {4}shardplan (plan .*)$/m.exec(text) ?? []
  const shown = text.split('\n').filter((line) => /^ {4}( *#| *\d+ +\d+ {2})/.test(line))
  expect(shown).toHaveLength(4)
  const { out } = await run(args.split(' '))
  expect(out.split('\n').slice(0, 4)).toEqual(shown.map((line) => line.slice(4)))
})

it('the service answers what README.md shows of the first plan', async () => {
  const [, request = ''] = /\/optimize [^{}]*-d '(\{[\s\S]*?\})'/.exec(text) ?? []
  const [, memory = '{}'] = /"memoryBytes": (\{.*?\})/.exec(text) ?? []
  const [, mesh = '{}'] = /"mesh": (\{.*?\})/.exec(text) ?? []
  const [, explanation = ''] = /"explanation": (\[[\s\S]*?"\n +\])/.exec(text) ?? []
  const { body } = await service({ search: planning }).post('/optimize').send(JSON.parse(request))
  const [first] = body.plans
  expect(first.mesh).toEqual(JSON.parse(mesh))
  const bytes = Object.entries(first.memoryBytes).map(([name, value]) => [name, Math.round(Number(value))])
  expect(Object.fromEntries(bytes)).toEqual(JSON.parse(memory))
  expect(first.explanation).toEqual(JSON.parse(explanation))
})
