/** What distinguishes members of a table is in its columns: nobody else compares with a member's name. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { elementTypes } from '../../src/recipe/element-type.ts'
import { expertRecipes } from '../../src/recipe/expert-recipes.ts'
import { optimizers } from '../../src/recipe/optimizers.ts'
import { policies } from '../../src/recipe/policies.ts'
import { schedules } from '../../src/recipe/schedules.ts'
import { contextLayouts } from '../../src/sharding/tables/context-layout.ts'

const namesOf = (rows: readonly { readonly name: string }[]) => rows.map(({ name }) => name)

const tables: Readonly<Record<string, readonly string[]>> = {
  schedules: namesOf(schedules),
  optimizers: namesOf(optimizers),
  policies: namesOf(policies),
  'context layouts': contextLayouts,
  'element types': elementTypes,
  'ways to run experts': namesOf(expertRecipes),
}

/** Translation into what a framework calls them, and of what a Hugging Face config does, are tables of their own. */
const elsewhere = /^src\/(recipe|model\/hugging-face|launch)\//

/** The same words for other things. */
const homonyms = [
  // Whether dot products of attention are counted.
  /attentionFlops [!=]== 'none'/g,
  // A pool that takes no more.
  /case 'full':/g,
]

const sources = ['src', 'api']
  .flatMap((room) =>
    readdirSync(room, { recursive: true, encoding: 'utf8' }).map((file) => `${room}/${file}`),
  )
  .filter((file) => file.endsWith('.ts') && !elsewhere.test(file))
  .map((file) => ({ file, lines: readFileSync(file, 'utf8').split('\n') }))

describe.each(Object.entries(tables))('of %s', (_, names) => {
  it('none is compared with by name', () => {
    const word = `'(?:${names.join('|')})'`
    const compared = new RegExp(
      `[!=]==\\s*${word}|${word}\\s*[!=]==|case ${word}|\\.(?:includes|has|indexOf)\\(${word}\\)|\\[[^\\[\\]]*${word}[^\\[\\]]*\\]\\.includes`,
    )
    const found = sources.flatMap(({ file, lines }) =>
      lines.flatMap((line, at) => {
        const own = homonyms.reduce((rest, homonym) => rest.replaceAll(homonym, ''), line)
        return compared.test(own) ? [`${file}:${at + 1}: ${line.trim()}`] : []
      }),
    )
    expect(found).toEqual([])
  })
})
