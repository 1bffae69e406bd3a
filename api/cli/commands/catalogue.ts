/** `shardplan models`, `hardware` and `stacks`: list what is known by name. */
import { Option } from 'commander'
import { type Catalogue, loadCatalogue } from '../../catalogue.ts'
import { chipsOf, modelsOf, stacksOf } from '../../catalogue-lists.ts'
import { csv } from '../../report/csv.ts'
import { table } from '../../report/table.ts'
import { type Formats, json, written, yaml } from '../formats.ts'
import type { Desk } from './asking.ts'

/** A list as the service answers it, and as rows under heads. */
interface Listing {
  readonly answer: unknown
  readonly rows: readonly (readonly string[])[]
}

const formats: Formats<Listing> = {
  text: ({ rows }) => `${table(rows).join('\n')}\n`,
  csv: ({ rows }) => csv(rows),
  json: ({ answer }, width) => json(answer, width),
  yaml: ({ answer }, width) => yaml(answer, width),
}

interface List {
  readonly name: string
  readonly says: string
  readonly of: (catalogue: Catalogue) => Listing
}

const lists: readonly List[] = [
  {
    name: 'models',
    says: 'list the models that are known by name',
    of: (catalogue) => {
      const models = modelsOf(catalogue)
      const rows = models.map(({ name, parameters, activeParameters }) => [
        ...[name, billions(parameters), billions(activeParameters)],
      ])
      return { answer: { models }, rows: [['name', 'parameters', 'active'], ...rows] }
    },
  },
  {
    name: 'hardware',
    says: 'list the chips that are known by name',
    of: (catalogue) => {
      const hardware = chipsOf(catalogue)
      const rows = hardware.map(({ name, hbmBytes, title }) => [
        ...[name, `${(hbmBytes / 1e9).toFixed(0)} GB`, title],
      ])
      return { answer: { hardware }, rows: [['name', 'memory', 'title'], ...rows] }
    },
  },
  {
    name: 'stacks',
    says: 'list the software whose constants are known (--set assumptions.stack=NAME)',
    of: (catalogue) => {
      const stacks = stacksOf(catalogue)
      const rows = stacks.map(({ name, runs, title }) => [name, runs, title])
      return { answer: { stacks }, rows: [['name', 'runs', 'title'], ...rows] }
    },
  },
]

export function catalogue({ program, world }: Desk): void {
  for (const { name, says, of } of lists) {
    program
      .command(name)
      .description(says)
      .addOption(
        new Option('--format <format>', 'output format').choices(Object.keys(formats)).default('text'),
      )
      .action(({ format }: { readonly format: string }) => {
        world.out(written(formats, format)(of(loadCatalogue()), undefined))
      })
  }
}

function billions(count: number): string {
  return `${Number((count / 1e9).toPrecision(3))}B`
}
