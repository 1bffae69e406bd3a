/** Suggestions of smaller gradients and optimizer states for training that does not fit, or of states in the host's memory. */
import { compact } from '../../compact.ts'
import type { Problem } from '../../problem.ts'
import { elementBytes, usualType } from '../../recipe/element-type.ts'
import type { Suggestion } from '../answer.ts'

type AnyPlan = (problem: Problem) => boolean

export function stateSuggestions(problem: Problem, anyPlan: AnyPlan): readonly Suggestion[] {
  return compact(
    narrower(
      problem,
      anyPlan,
      'gradients',
      'half of their memory, and of what their reduction sends; sums over many microbatches are less exact',
    ),
    narrower(problem, anyPlan, 'optimizer', 'half of the memory of its moments, which are less exact'),
    onHost(problem, anyPlan),
  )
}

/** What is kept in fp32 may be kept in 16 bits by what trains in bf16, whichever it is told. */
function narrower(
  problem: Problem,
  anyPlan: AnyPlan,
  part: 'gradients' | 'optimizer',
  detail: string,
): Suggestion | null {
  const { precision } = problem
  if (elementBytes[precision[part]] <= elementBytes[usualType]) return null
  if (!anyPlan({ ...problem, precision: { ...precision, [part]: usualType } })) return null
  const what = part === 'optimizer' ? 'optimizer states' : part
  return { change: `${what} in ${usualType}`, pointer: `/precision/${part}`, value: usualType, detail }
}

function onHost(problem: Problem, anyPlan: AnyPlan): Suggestion | null {
  const { assumptions, statesOnHost } = problem
  if (assumptions.optimizerOnHost) return null
  if (!anyPlan({ ...problem, assumptions: statesOnHost ?? { ...assumptions, optimizerOnHost: true } }))
    return null
  return {
    change: "optimizer states in the host's memory",
    pointer: '/assumptions/optimizerOnHost',
    value: true,
    detail: 'they pass over the link between chip and host in each step, which takes longer',
  }
}
