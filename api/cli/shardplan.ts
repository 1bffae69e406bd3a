/** The command line: `shardplan optimize`, `evaluate`, `validate`, `calibrate`, `compare`, `models`, `hardware`, `stacks`, `serve`, `completion`. */
import { Argument, Command, CommanderError } from 'commander'
import { type Fault, ProblemError, problems } from '../problems.ts'
import { version } from '../version.ts'
import { calibrate } from './commands/calibrate.ts'
import { catalogue } from './commands/catalogue.ts'
import { compare } from './commands/compare.ts'
import { evaluate } from './commands/evaluate.ts'
import { optimize } from './commands/optimize.ts'
import { validate } from './commands/validate.ts'
import { completion, type Shell, shells } from './completion.ts'
import { type ExitCode, exitCodeOf, exitCodes } from './exit-code.ts'
import { optionAt } from './request-options.ts'
import { UsageError } from './usage-error.ts'
import type { World } from './world.ts'

/** In the order of --help. */
const commands = [optimize, evaluate, validate, calibrate, compare, catalogue] as const

/** Runs the command and resolves to its exit code. */
export async function shardplan(args: readonly string[], world: World): Promise<ExitCode> {
  let code: ExitCode = exitCodes.ok
  const program = new Command('shardplan')
    .description('Plan how to shard large Transformers, and check plans before they run.')
    .version(version())
    .exitOverride()
    .configureOutput({ writeOut: world.out, writeErr: world.err })
    .addHelpText(
      'after',
      `\nExit codes: 0 success, 1 a check failed, 2 bad input, 3 no plan fits, 4 out of time, 5 the service gave no answer.\n`,
    )

  const endsWith = (ended: ExitCode) => {
    code = ended
  }
  for (const add of commands) add({ program, world, endsWith })

  program
    .command('completion')
    .description('print shell completion: eval "$(shardplan completion bash)"')
    .addArgument(new Argument('<shell>').choices(shells))
    .action((shell: Shell) => world.out(completion(program, shell)))

  program
    .command('serve')
    .description('start the service, configured by environment variables (docs/operations.md)')
    .action(() => world.serve())

  try {
    await program.parseAsync([...args], { from: 'user' })
    return code
  } catch (error) {
    return told(error, args, world)
  }
}

function told(error: unknown, args: readonly string[], { err }: World): ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.badInput
  if (error instanceof UsageError) {
    err(`error: ${error.message}\n`)
    return exitCodes.badInput
  }
  if (!(error instanceof ProblemError)) throw error
  const { slug, message, faults } = error
  const lines =
    faults.length > 0
      ? faults.map(
          (fault) => `${fault.pointer || 'the request'}${optioned(fault.pointer, args)} ${wholeText(fault)}`,
        )
      : [message]
  err(`error: ${problems[slug].title}\n${lines.map((line) => `  ${line}\n`).join('')}`)
  return exitCodeOf(slug)
}

/** What is wrong, with what would do where the text does not say so itself. */
function wholeText({ detail, suggestions = [] }: Fault): string {
  const unsaid = suggestions.filter((suggestion) => !detail.includes(suggestion))
  return unsaid.length > 0 ? `${detail}: ${unsaid.join(', or ')} would do` : detail
}

function optioned(pointer: string, args: readonly string[]): string {
  const option = optionAt(pointer, args)
  return option ? ` (${option})` : ''
}
