/** Shell completion: commands, the options of each, and the values that an option may have. */
import type { Command } from 'commander'

export const shells = ['bash', 'zsh', 'fish'] as const

export type Shell = (typeof shells)[number]

interface Completed {
  readonly names: readonly string[]
  readonly options: readonly {
    readonly flag: string
    readonly says: string
    readonly values: readonly string[]
  }[]
}

function completedOf(command: Command): Completed {
  return {
    names: [command.name(), ...command.aliases()],
    options: command.options.map(({ long, description, argChoices }) => ({
      flag: long ?? '',
      says: description,
      values: argChoices ?? [],
    })),
  }
}

export function completion(program: Command, shell: Shell): string {
  const commands = program.commands.map(completedOf)
  if (shell === 'fish') return fish(commands)
  const own = bash(commands)
  return shell === 'zsh' ? `autoload -U +X bashcompinit && bashcompinit\n${own}` : own
}

function bash(commands: readonly Completed[]): string {
  // An option may have other values in another command.
  const choices = commands.flatMap(({ names, options }) =>
    options
      .filter(({ values }) => values.length > 0)
      .map(({ flag, values }) => [names.map((name) => `'${name} ${flag}'`).join('|'), values.join(' ')]),
  )
  return [
    '_shardplan() {',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: these are the shell's
    '  local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" words',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: these are the shell's
    '  case "${COMP_WORDS[1]} $before" in',
    ...choices.map(
      ([option, words]) => `    ${option}) COMPREPLY=($(compgen -W "${words}" -- "$word")); return ;;`,
    ),
    '  esac',
    '  if [ "$COMP_CWORD" -eq 1 ]; then',
    `    COMPREPLY=($(compgen -W "${commands.flatMap(({ names }) => names).join(' ')}" -- "$word")); return`,
    '  fi',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: these are the shell's
    '  case "${COMP_WORDS[1]}" in',
    ...commands.map(
      ({ names, options }) =>
        `    ${names.join('|')}) words="${options.map(({ flag }) => flag).join(' ')}" ;;`,
    ),
    '  esac',
    '  case "$word" in',
    '    -*) COMPREPLY=($(compgen -W "$words" -- "$word")) ;;',
    '    *) COMPREPLY=($(compgen -f -- "$word")) ;;',
    '  esac',
    '}',
    'complete -F _shardplan shardplan',
    '',
  ].join('\n')
}

function fish(commands: readonly Completed[]): string {
  const lines = commands.flatMap(({ names, options }) => [
    `complete -c shardplan -n __fish_use_subcommand -a "${names.join(' ')}"`,
    ...options.map(({ flag, says, values }) => {
      const choices = values.length > 0 ? ` -x -a "${values.join(' ')}"` : ''
      const text = says.replaceAll(/["\\$]/g, '')
      return `complete -c shardplan -n "__fish_seen_subcommand_from ${names.join(' ')}" -l ${flag.slice(2)} -d "${text}"${choices}`
    }),
  ])
  return `${lines.join('\n')}\n`
}
