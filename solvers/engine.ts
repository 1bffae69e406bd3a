/** A solver package behind the port: it only gets scaled and valid programmes, and its answers are checked elsewhere. */
import type { IndexedProgram } from './indexed-program.ts'
import type { Vector } from './vector.ts'

/** A package's answer to a scaled programme. */
export type Outcome =
  /** `duals` belong to the programme, or to its relaxation; `bound` is the engine's own. */
  | {
      readonly status: 'optimal' | 'feasible'
      readonly point: Vector
      readonly duals?: Vector
      readonly bound?: number
    }
  /** `ray` are multipliers of the rows that prove it, if the engine has them. */
  | { readonly status: 'infeasible'; readonly ray?: Vector | undefined }
  /** Unbounded or infeasible, where the package may not distinguish them: the certified solver finds out which. */
  | { readonly status: 'unbounded' }
  /** Time is up, and there is no point. */
  | { readonly status: 'stopped' }

/** Milliseconds left; Infinity if there is no deadline. */
export type Remaining = () => number

/** `strict` if an answer within the usual tolerance of whole numbers has already failed the certificate. */
export type Engine = (program: IndexedProgram, remaining: Remaining, strict: boolean) => Outcome
