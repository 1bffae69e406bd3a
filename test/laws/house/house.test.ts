/** Everything that docs/house.md names exists. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const rooms = ['src', 'api', 'solvers', 'fixtures', 'test']

it('the page of the house names nothing that is not there', () => {
  const page = readFileSync('docs/house.md', 'utf8')
  const named = [...page.matchAll(/`([\w./-]+(?:\.ts|\/))`/g)].map(([, path = '']) => path)
  const there = rooms.flatMap((room) =>
    readdirSync(room, { recursive: true, encoding: 'utf8' }).map((path) => `/${room}/${path}`),
  )
  const missing = named.filter((path) => {
    const whole = `/${path.replace(/\/$/, '')}`
    return !existsSync(path) && !there.some((known) => known.endsWith(whole))
  })
  expect(named.length).toBeGreaterThan(50)
  expect(missing).toEqual([])
})
