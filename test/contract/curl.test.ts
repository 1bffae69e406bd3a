/** Every request that the documentation shows is accepted by the service. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { compareRequest } from '../../api/schemas/compare.ts'
import { optimizeRequest } from '../../api/schemas/optimize.ts'
import { validated } from '../../api/validation/request-validation.ts'
import { comparisonOf } from '../../api/validation/variants.ts'
import { evaluateAsked, validateAsked } from '../../api/validation/written-plan.ts'

const pages = ['README', 'docs/asking', 'docs/ci', 'docs/frameworks', 'docs/inference'] as const

const routes: Readonly<Record<string, (body: unknown) => unknown>> = {
  '/optimize': (body) => validated(optimizeRequest, body),
  '/evaluate': evaluateAsked,
  '/validate': validateAsked,
  '/compare': (body) => comparisonOf(validated(compareRequest, body)),
}

const typed = pages.flatMap((page) => {
  const text = readFileSync(`${page}.md`, 'utf8')
  const calls = text.matchAll(/curl [^\n]*127\.0\.0\.1:8080(\/\w+)[^{}]*?-d '(\{[\s\S]*?\})'/g)
  return [...calls].map(([, route = '', body = '']) => ({ page, route, body }))
})

describe('a request that is shown to be typed', () => {
  it.each(typed)('on $page, to $route, is taken', ({ route, body }) => {
    expect(routes[route]?.(JSON.parse(body))).toBeDefined()
  })

  it('is there of every route that plans', () => {
    expect(new Set(typed.map(({ route }) => route))).toEqual(new Set(Object.keys(routes)))
  })
})
