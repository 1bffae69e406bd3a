/**
 * The port: a linear or mixed-integer programme as plain data, and what a solver may answer.
 *
 *   minimise  c·x   subject to  lower_i <= a_i·x <= upper_i,  lower_j <= x_j <= upper_j,  x_j whole where `integer`
 *
 * Solvers are passed to the domain as functions of type `Solver`; the domain knows no solver package. An invalid
 * programme (a name that occurs twice, a term without a variable, NaN, an infinite coefficient) is a bug of the caller
 * and throws a RangeError; crossing bounds make a programme infeasible.
 */
export interface Variable {
  readonly name: string
  /** Coefficient in the objective. */
  readonly cost: number
  /** Default 0; -Infinity for none. */
  readonly lower?: number
  /** Default unbounded. */
  readonly upper?: number
  readonly integer?: boolean
}

export interface Row {
  readonly name: string
  /** Coefficients by variable name; a variable left out has coefficient 0. */
  readonly terms: Readonly<Record<string, number>>
  /** Default unbounded; equal values make an equality. */
  readonly lower?: number
  readonly upper?: number
}

export interface LinearProgram {
  readonly variables: readonly Variable[]
  readonly rows: readonly Row[]
}

export interface Point {
  readonly objective: number
  /** By variable name: inside its bounds, and a whole number where `integer`. */
  readonly values: Readonly<Record<string, number>>
  /**
   * d objective / d right-hand side for each row, only for a pure LP: positive if a lower bound of the row is binding,
   * negative if an upper one is, 0 if the row is slack. At a degenerate vertex one of several possible values.
   */
  readonly duals?: Readonly<Record<string, number>>
}

export type Solution =
  /** Proven: no other point is better by more than the relative `gap`. */
  | { readonly status: 'optimal'; readonly point: Point; readonly gap: number }
  /** Certified feasible, not proven best; `bound` is the best objective still possible. */
  | { readonly status: 'feasible'; readonly point: Point; readonly bound: number }
  | { readonly status: 'infeasible' | 'unbounded' }
  /** There is no usable point, which says nothing about the programme. */
  | { readonly status: 'unsolved'; readonly reason: 'deadline' | 'rejected' | 'crashed' }

export interface SolveOptions {
  readonly deadlineMs?: number
}

export type Solver = (program: LinearProgram, options?: SolveOptions) => Solution
