/** `shardplan models`, `hardware` and `stacks`: list what is known by name. */
import { loadCatalogue } from '../../catalogue.ts'
import { table } from '../../report/table.ts'
import type { Desk } from './asking.ts'

export function catalogue({ program, world }: Desk): void {
  program
    .command('models')
    .description('list the models that are known by name')
    .action(() => {
      const rows = [...loadCatalogue().models.values()].map(({ record, parameters }) => [
        record.name,
        billions(parameters.total),
        billions(parameters.active),
      ])
      world.out(`${table([['name', 'parameters', 'active'], ...rows]).join('\n')}\n`)
    })

  program
    .command('hardware')
    .description('list the chips that are known by name')
    .action(() => {
      const rows = [...loadCatalogue().chips.values()].map(({ name, hbmBytes, title }) => [
        name,
        `${(hbmBytes / 1e9).toFixed(0)} GB`,
        title,
      ])
      world.out(`${table([['name', 'memory', ''], ...rows]).join('\n')}\n`)
    })

  program
    .command('stacks')
    .description('list the software whose constants are known (--set assumptions.stack=NAME)')
    .action(() => {
      const rows = [...loadCatalogue().stacks.values()].map(({ name, runs, title }) => [name, runs, title])
      world.out(`${table([['name', 'runs', ''], ...rows]).join('\n')}\n`)
    })
}

function billions(count: number): string {
  return `${Number((count / 1e9).toPrecision(3))}B`
}
