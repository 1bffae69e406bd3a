/**
 * The assumptions of frameworks that run a plan otherwise than it is costed: the plans of one answer are ranked as one stack runs them, but
 * each may be launched by several frameworks, whose stacks differ.
 */
import type { Framework } from '../launch/framework.ts'
import type { Assumptions } from './assumptions.ts'

export type RunBy = Readonly<Partial<Record<Framework, Assumptions>>>
