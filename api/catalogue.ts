/**
 * The models, chips and stacks that are known by name: read once from fixtures and validated against their schemas; a model
 * when it is asked for, as most threads and commands are asked for few of them.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { z } from 'zod'
import type { StackRecord } from '../src/assumptions/stack.ts'
import type { ChipRecord } from '../src/hardware/record.ts'
import { type Checkpoint, checkpointIn } from '../src/model/hugging-face/checkpoint.ts'
import { type Findings, fieldsOf } from '../src/model/hugging-face/fields.ts'
import { type ParameterCount, parameterCount } from '../src/model/parameters.ts'
import { recordedModel } from '../src/model/recorded.ts'
import { catalogueNames } from '../src/model/release-name.ts'
import type { Transformer } from '../src/model/transformer.ts'
import type { RecipeRecord } from '../src/plan/certainty/recipes.ts'
import type { Residuals } from '../src/plan/certainty/residuals.ts'
import { nearest } from './hints/nearest.ts'
import { readMap } from './read-map.ts'
import { root } from './root.ts'
import { recipeRecord } from './schemas/answer/recipe.ts'
import { residualRecord } from './schemas/answer/uncertainty.ts'
import { chipRecord, modelRecord, stackRecord } from './schemas/catalogue.ts'

export type ModelRecord = z.output<typeof modelRecord>

export interface KnownModel {
  readonly record: ModelRecord
  readonly transformer: Transformer
  readonly parameters: ParameterCount
  /** Releases of the model whose weights are stored in fewer than 16 bits, and releases beside such ones; empty if there are none. */
  readonly checkpoints: readonly Checkpoint[]
}

export interface Catalogue {
  readonly models: ReadonlyMap<string, KnownModel>
  readonly chips: ReadonlyMap<string, ChipRecord>
  readonly stacks: ReadonlyMap<string, StackRecord>
  /** How far off predictions have been, where somebody measured. */
  readonly residuals: Residuals
  /** Published training runs. */
  readonly recipes: readonly RecipeRecord[]
}

export function loadCatalogue(): Catalogue {
  const models = readMap(namesIn('models'), (name) => known(named('models', name, modelRecord)))
  const chips = records('hardware', chipRecord).map((record) => [record.name, record] as const)
  const stacks = records('stacks', stackRecord).map((record) => [record.name, record] as const)
  const recipes = record('recipes.json', z.array(recipeRecord))
  const residuals = record('residuals.json', residualRecord)
  return { models, chips: new Map(chips), stacks: new Map(stacks), residuals, recipes }
}

function known(record: ModelRecord): KnownModel {
  const transformer = recordedModel(record)
  const checkpoints = (record.checkpoints ?? []).map(({ name, config }) => {
    const findings: Findings = { faults: [], notes: [] }
    const read = checkpointIn(fieldsOf(config, findings))
    const said = [...findings.faults.map(({ detail }) => detail), ...findings.notes]
    if (!read || said.length > 0) throw new Error(`${record.name}, ${name}: ${said.join('; ')}`)
    return { name, ...read(transformer) }
  })
  return { record, transformer, parameters: parameterCount(transformer), checkpoints }
}

/** Finds a model by its own name, or by that of a release. */
export function knownModel({ models }: Catalogue, name: string): KnownModel | undefined {
  const found = catalogueNames(name).find((one) => models.has(one))
  return found === undefined ? undefined : models.get(found)
}

export function knownChip({ chips }: Pick<Catalogue, 'chips'>, name: string): ChipRecord | undefined {
  const asked = name.toLowerCase()
  return chips.get(asked) ?? [...chips.values()].find(({ aliases }) => aliases.includes(asked))
}

export function knownStack({ stacks }: Pick<Catalogue, 'stacks'>, name: string): StackRecord | undefined {
  return stacks.get(name.toLowerCase())
}

export function nearestStacks({ stacks }: Pick<Catalogue, 'stacks'>, name: string): string[] {
  return nearest(name, stacks.keys())
}

/** Hugging Face puts the owner in front of a name, which is not compared. */
export function nearestModels({ models }: Catalogue, name: string): string[] {
  return nearest(name.slice(name.lastIndexOf('/') + 1), models.keys())
}

/** Searches names and aliases; returns names. */
export function nearestChips({ chips }: Catalogue, name: string): string[] {
  const names = [...chips.values()].flatMap(({ name, aliases }) =>
    [name, ...aliases].map((alias) => [alias, name] as const),
  )
  const byAlias = new Map(names)
  const found = nearest(name, byAlias.keys(), 6).map((alias) => byAlias.get(alias) ?? alias)
  return [...new Set(found)].slice(0, 3)
}

function records<T extends z.ZodType<{ name: string }>>(folder: string, schema: T): z.output<T>[] {
  return namesIn(folder).map((name) => named(folder, name, schema))
}

function namesIn(folder: string): readonly string[] {
  return readdirSync(new URL(`fixtures/${folder}/`, root))
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => file.slice(0, -'.json'.length))
}

function named<T extends z.ZodType<{ name: string }>>(folder: string, name: string, schema: T): z.output<T> {
  const data = record(`${folder}/${name}.json`, schema)
  if (data.name !== name) throw new Error(`fixtures/${folder}/${name}.json has another name inside`)
  return data
}

function record<T extends z.ZodType>(file: string, schema: T): z.output<T> {
  const result = schema.safeParse(JSON.parse(readFileSync(new URL(`fixtures/${file}`, root), 'utf8')))
  if (!result.success) throw new Error(`fixtures/${file}: ${result.error.message}`)
  return result.data
}
