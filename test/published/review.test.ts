import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { optimizeRequest } from '../../api/schemas/optimize.ts'
import { questions } from '../review/questions.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

it('has a verdict on every question that is reviewed, and the page has both', () => {
  const names = questions.map(({ name }) => name)
  expect(Object.keys(JSON.parse(read('fixtures/review.json')))).toEqual(names)
  const page = read('docs/review.md')
  expect([...page.matchAll(/^## (.*)$/gm)].map(([, name]) => name)).toEqual(names)
  expect(page.match(/\*\*Verdict\*\*/g)).toHaveLength(names.length)
  for (const { request } of questions) expect(optimizeRequest.safeParse(request).success).toBe(true)
})
