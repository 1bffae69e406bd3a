/** Members of a table differ in its columns: outside of the tables nobody compares with a member's name. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { frameworks } from '../../../src/launch/framework.ts'
import { recurrentMixers } from '../../../src/model/recurrent-mixers.ts'
import { elementTypes } from '../../../src/recipe/element-type.ts'
import { expertRecipes } from '../../../src/recipe/expert-recipes.ts'
import { optimizers } from '../../../src/recipe/optimizers.ts'
import { policies } from '../../../src/recipe/policies.ts'
import { schedules } from '../../../src/recipe/schedules.ts'
import { axes } from '../../../src/sharding/axis.ts'
import { contextLayouts } from '../../../src/sharding/tables/context-layout.ts'
import { expertPlaces, latentForms } from '../../../src/sharding/tables/inference-layout-fields.ts'
import { cacheLayouts, projectionLayouts } from '../../../src/sharding/tables/inference-sharding.ts'

const names: readonly string[] = [
  ...[...schedules, ...optimizers, ...policies, ...expertRecipes].map(({ name }) => name),
  ...[...contextLayouts, ...projectionLayouts, ...cacheLayouts, ...latentForms, ...expertPlaces],
  ...[...frameworks, ...axes, ...recurrentMixers],
  ...['embedding', 'attention', 'mlp', 'experts', 'block', 'unembedding'],
]

/** The tables, and where names are translated: what frameworks call things, what checkpoints do. */
const homes = [
  /^src\/recipe\//,
  /^src\/sharding\/(axis|component-rows)\.ts$/,
  /^src\/sharding\/tables\//,
  // What a launch file says is read in the words of its framework.
  /^src\/launch\/[\w-]+\/read/,
  /^src\/model\/hugging-face\//,
]

/** What is called the same and is of none of the tables: kinds of einsums, how FLOPs of attention count, a queue that is full, graphs of nothing. */
const others = /\bkind\b|\battentionFlops\b|case 'full':|\bgraphs\b/

/** What a framework calls an element type is compared where it is read and where it is written. */
const homesOfTypes = [...homes, /^src\/launch\//]

function askedFor(members: readonly string[]): RegExp {
  const alternatives = members.map((name) => name.replaceAll(/[^\w-]/g, '\\$&')).join('|')
  const quoted = `(['"\`])(?:${alternatives})\\1`
  return new RegExp(
    [
      `[!=]==?\\s*${quoted}`,
      `${quoted.replace('\\1', '\\2')}\\s*[!=]==?`,
      `\\bcase\\s+${quoted.replace('\\1', '\\3')}`,
      `\\b(?:includes|startsWith|endsWith|indexOf|has|get)\\(${quoted.replace('\\1', '\\4')}\\)`,
      `${quoted.replace('\\1', '\\5')}[^[\\]]*\\]\\.includes\\(`,
    ].join('|'),
  )
}

const asked = askedFor(names)

function sources(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `${folder}/${file}`)
}

/** Arrays are asked for by their role, outside of the tables that name them and of what answers call them. */
const askedOfArrays = /\barrays\.[A-Z]|\barrayOf\(\w+, '|[!=]==?\s*'(?:In|Out|Tmp|Gate|Up|Logits|W_\w+)'/

describe('the name of a member of a table', () => {
  it.each([
    ['of strategies, axes, frameworks and components', asked, homes],
    ['of element types', askedFor(elementTypes), homesOfTypes],
  ] as const)('%s is compared nowhere but in the table and where names are translated', (_, compared, own) => {
    const found = [...sources('src'), ...sources('api')]
      .filter((file) => !own.some((home) => home.test(file)))
      .flatMap((file) =>
        readFileSync(file, 'utf8')
          .split('\n')
          .map((line, at) => `${file}:${at + 1}: ${line.trim()}`)
          .filter((line) => compared.test(line) && !others.test(line)),
      )
    expect(found).toEqual([])
  })

  it('is not what an array is asked for by', () => {
    const found = sources('src')
      .filter((file) => !/^src\/sharding\/tables\//.test(file))
      .filter((file) => askedOfArrays.test(readFileSync(file, 'utf8')))
    expect(found).toEqual([])
  })

  it.each([
    "if (schedule.name === 'dualpipe') return",
    "'fsdp' !== axis",
    "case 'muon':",
    "axes.filter((axis) => ['context'].includes('context'))",
    "if (name.startsWith('gathered-all')) return",
    "!['adamw', name].includes(optimizer)",
  ])('is seen in %s', (line) => {
    expect(line).toMatch(asked)
  })

  it.each([
    "const usual = 'adamw'",
    "{ name: 'ring' }",
    "mesh['data2'] === 'date'",
  ])('is not compared in %s', (line) => {
    expect(line).not.toMatch(asked)
  })
})
