/**
 * From speculative decoding on the wire to that of the domain. A draft that is given as a model costs
 *
 *   r = P_draft / P      active parameters
 *
 * of a step: generating a token streams weights, and draft and model are taken to be kept and laid out alike. It is too
 * little for drafts so small that overheads and latencies, not weights, make their step.
 */
import { parameterCount } from '../../src/model/parameters.ts'
import type { Transformer } from '../../src/model/transformer.ts'
import type { Speculation } from '../../src/problem.ts'
import type { Catalogue } from '../catalogue.ts'
import { faultyValue, ProblemError } from '../problems.ts'
import type { ModelRequest } from '../schemas/given/model.ts'
import type { SpeculativeRequest } from '../schemas/workload/speculative.ts'
import { resolvedModel } from './model.ts'
import type { ResolvedModel } from './resolved-model.ts'

export interface ResolvedSpeculation {
  readonly speculation: Speculation
  readonly warnings: readonly string[]
}

const pointer = '/workload/speculative/draftModel'

export function speculationOf(
  { draftModel, draftCostRatio = 0, acceptance, tokens }: SpeculativeRequest,
  model: Transformer,
  catalogue: Catalogue,
): ResolvedSpeculation {
  const drafted = { acceptance, ...(tokens === undefined ? {} : { tokens }) }
  if (draftModel === undefined) return { speculation: { ...drafted, draftCostRatio }, warnings: [] }
  const { transformer: draft, warnings } = draftOf(draftModel, catalogue)
  const [small, large] = [parameterCount(draft).active, parameterCount(model).active]
  if (small >= large) {
    const detail = `${draft.name} has ${billions(small)} active parameters and ${model.name} ${billions(large)}: a draft has to be the smaller`
    throw faultyValue('impossible-combination', { pointer, detail })
  }
  const cost = `Drafting a token with ${draft.name} is taken to cost ${(small / large).toPrecision(3)} of a step of ${model.name}, its share of active parameters, as steps stream weights; its own memory is not counted.`
  const words = `${draft.name} has a vocabulary of ${draft.vocab} and ${model.name} one of ${model.vocab}: a draft needs the same tokens.`
  return {
    speculation: { ...drafted, draftCostRatio: small / large },
    warnings: [cost, ...(draft.vocab === model.vocab ? [] : [words]), ...warnings],
  }
}

/** Faults of the draft point at the draft. */
function draftOf(request: ModelRequest, catalogue: Catalogue): ResolvedModel {
  try {
    return resolvedModel(request, catalogue)
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    const faults = error.faults.map((fault) => ({
      ...fault,
      pointer: fault.pointer.replace(/^\/model/, pointer),
    }))
    const [first] = faults
    throw new ProblemError(error.slug, first ? `${first.pointer}: ${first.detail}` : error.message, faults)
  }
}

function billions(parameters: number): string {
  return `${(parameters / 1e9).toPrecision(3)} billion`
}
