/** Names of options, as they are written and as parsers take them. */

/** The name of an option that is written with its values. */
export function optionIn(text: string): string {
  const [option = ''] = text.split(/[\s=]/)
  return option
}

/** Parsers of servers take an underscore for a hyphen, `--no-` before a switch, and a key behind a point. */
export function spelling(option: string): string {
  const own = option.replaceAll('_', '-')
  return isSwitch(own) ? (own.split('.')[0] ?? own) : own
}

export function isSwitch(name: string): boolean {
  return name.startsWith('--')
}
