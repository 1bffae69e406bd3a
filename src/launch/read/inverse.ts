/** A table of what is written for each member, the other way around: what a word that is read stands for. */
export function inverse<Name extends string>(
  words: Readonly<Partial<Record<Name, string>>>,
): Readonly<Record<string, Name | undefined>> {
  const pairs = Object.entries(words) as [Name, string][]
  return Object.fromEntries(pairs.map(([name, word]) => [word, name]))
}
