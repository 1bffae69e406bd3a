/** Options whose values are a closed list: with any other their framework does not start. */
import type { Misnamed } from './reading.ts'

export type ClosedValues = Readonly<Record<string, readonly string[]>>

/** Values outside of the lists; `said` has the value of an option, null where it is not given. */
export function misnamedAmong(
  closed: ClosedValues,
  said: (option: string) => string | null,
): readonly Misnamed[] {
  return Object.entries(closed).flatMap(([option, among]) => {
    const value = said(option)
    const given = value !== null && value !== '' && value !== 'None'
    return given && !among.includes(value) ? [{ option, value, among }] : []
  })
}
