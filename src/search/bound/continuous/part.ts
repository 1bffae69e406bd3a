/** A part of the programme of the continuous bound, and how much its rows depend on each resource. */
import type { Point, Row } from '../../../../solvers/linear-program.ts'
import { concatenated } from '../../../concatenated.ts'
import { sum, type Terms, times } from '../../memory-policy/linear-terms.ts'
import { sizePower } from './leaving.ts'
import type { Power, PowerProgram } from './power-program.ts'
import type { Share } from './unavoidable.ts'

/** The objective and times are in ms, memory in GiB. */
export const milliseconds = 1e3
export const gibibytes = 2 ** -30

export const resources = ['flops', 'hbmBandwidth', 'iciBandwidth', 'dcnBandwidth', 'memory'] as const

/** d log T / d log of each resource. */
export type Elasticities = Readonly<Record<(typeof resources)[number], number>>

/** A row, how much of it scales with resources (in the units of the objective), and the share of each resource in that. */
export interface Priced {
  readonly row: string
  readonly amount: (values: Point['values']) => number
  readonly shares: Partial<Elasticities>
}

export interface Part extends PowerProgram {
  readonly priced: readonly Priced[]
}

export function joined(parts: readonly Part[]): Part {
  return {
    variables: concatenated(parts.map(({ variables }) => variables)),
    rows: concatenated(parts.map(({ rows }) => rows)),
    powers: concatenated(parts.map(({ powers }) => powers)),
    priced: concatenated(parts.map(({ priced }) => priced)),
  }
}

/** Stands for weight · (power - minus); without a power, for a constant. */
export interface Summand {
  readonly power?: Power
  readonly minus: number
  readonly weight: number
}

export function shareOf({ amount, times: set }: Share, unit: number): Summand {
  return set === 0
    ? { minus: -1, weight: amount * unit }
    : { power: sizePower(set), minus: 0, weight: amount * unit }
}

export function added(summands: readonly (Summand | null)[]): {
  readonly terms: Terms
  readonly constant: number
  readonly powers: readonly Power[]
} {
  const present = summands.filter((summand) => summand !== null)
  return {
    terms: sum(present.flatMap(({ power, weight }) => (power ? [{ [power.name]: weight }] : []))),
    constant: present.reduce((total, { minus, weight }) => total - minus * weight, 0),
    powers: present.flatMap(({ power }) => (power ? [power] : [])),
  }
}

export function atLeast(variable: string, name: string, terms: Terms, constant: number): Row {
  return { name, terms: { [variable]: 1, ...times(terms, -1) }, lower: constant }
}
