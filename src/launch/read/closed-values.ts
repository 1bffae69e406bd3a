/** Options whose values are a closed list: with any other their framework does not start. */
import type { Misnamed } from './reading.ts'

export type ClosedValues = Readonly<Record<string, readonly string[]>>

/** Values outside of the lists; `given` has the values of an option, none where it is not given. */
export function misnamedAmong(
  closed: ClosedValues,
  given: (option: string) => readonly string[],
): readonly Misnamed[] {
  return Object.entries(closed).flatMap(([option, among]) =>
    given(option)
      .filter((value) => !among.includes(value))
      .map((value) => ({ option, value, among })),
  )
}

/** The one value of an option, or none: what is empty, or Python's None, stands for what is not said. */
export function onlyValue(value: string | null): readonly string[] {
  return value === null || value === '' || value === 'None' ? [] : [value]
}
