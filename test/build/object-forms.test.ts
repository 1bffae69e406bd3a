/** What a search makes by the thousand has one form from the first on (docs/decisions.md): V8 says which objects it brings into another. */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const script = fileURLToPath(new URL('./asks-again.mjs', import.meta.url))

it('brings next to no object into another form, though numbers were fractions by the book', () => {
  const said = execFileSync(process.execPath, ['--trace-migration', script], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  const [before = '', last = ''] = said.split('\nlast\n')
  expect(before).toContain('migrating')
  // Layouts that frameworks are asked of are a thousand.
  expect(last.split('migrating').length).toBeLessThan(50)
})
