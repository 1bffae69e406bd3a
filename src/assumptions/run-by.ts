/**
 * The assumptions of frameworks that run a plan otherwise than it is costed: the plans of one answer are ranked as one stack runs them, but
 * each may be launched by several frameworks, whose stacks differ.
 */
import type { Framework } from '../launch/framework.ts'
import type { Assumptions } from './assumptions.ts'

export type RunBy = Readonly<Partial<Record<Framework, Assumptions>>>

/** What each framework's command settles of the assumptions, whatever a plan is costed with. */
export type Settled = Readonly<Partial<Record<Framework, Partial<Assumptions>>>>
