import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { builtModules } from '../built/modules.ts'

const root = `${mkdtempSync(join(tmpdir(), 'built-'))}/`
const importer = pathToFileURL(`${root}test/laws/some.test.ts`).href

/** Written so many seconds after the others. */
function written(file: string, second = 0): void {
  mkdirSync(dirname(`${root}${file}`), { recursive: true })
  writeFileSync(`${root}${file}`, '')
  utimesSync(`${root}${file}`, 1000 + second, 1000 + second)
}

afterEach(() => rmSync(root, { recursive: true, force: true }))

describe('what is built', () => {
  const build = () => {
    for (const source of ['src/units', 'api/http/app', 'solvers/vector']) {
      written(`${source}.ts`)
      written(`dist/${source}.js`, 1)
    }
  }

  it('stands for the source that a test names, and for nothing else', () => {
    build()
    const builtFor = builtModules(root)
    expect(builtFor('../../src/units.ts', importer)).toBe(`${root}dist/src/units.js`)
    expect(builtFor('../../api/http/app.ts', importer)).toBe(`${root}dist/api/http/app.js`)
    for (const other of ['../law.ts', '../../src/absent.ts', 'vitest', 'node:fs', '../../../src/units.ts'])
      expect(builtFor(other, importer)).toBeNull()
  })

  it('stands for none where any source was changed since, or is not built', () => {
    for (const [file, second] of [
      ['src/units.ts', 2],
      ['src/added.ts', 0],
    ] as const) {
      build()
      written(file, second)
      expect(builtModules(root)('../../solvers/vector.ts', importer)).toBeNull()
      rmSync(root, { recursive: true })
    }
  })
})
