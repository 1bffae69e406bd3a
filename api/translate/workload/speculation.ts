/** Turns the speculative decoding of a request into that of the domain. */
import { present } from '../../../src/fields.ts'
import { draftModel } from '../../../src/inference/speculation/draft-model.ts'
import type { Transformer } from '../../../src/model/transformer.ts'
import type { Drafted, Speculation } from '../../../src/problem.ts'
import type { Catalogue } from '../../catalogue.ts'
import { faulty, faultyValue, ProblemError } from '../../problems.ts'
import type { ModelRequest } from '../../schemas/given/model.ts'
import type { ServedSpeculativeRequest, SpeculativeRequest } from '../../schemas/workload/speculative.ts'
import { resolvedModel } from '../model/model.ts'
import type { ResolvedModel } from '../model/resolved-model.ts'

export interface ResolvedSpeculation<Told> {
  readonly speculation: Told
  readonly warnings: readonly string[]
}

const pointer = '/workload/speculative/draftModel'

export function speculationOf(
  { tokens, ...request }: SpeculativeRequest,
  model: Transformer,
  catalogue: Catalogue,
): ResolvedSpeculation<Speculation> {
  const { speculation, warnings } = drafting(request, model, catalogue)
  return { speculation: { ...speculation, ...present({ tokens }) }, warnings }
}

/** The same of a deployment, whose servers draft as many tokens in every step. */
export function servedSpeculationOf(
  { tokens, ...request }: ServedSpeculativeRequest,
  model: Transformer,
  catalogue: Catalogue,
): ResolvedSpeculation<Drafted> {
  const { speculation, warnings } = drafting(request, model, catalogue)
  return { speculation: { ...speculation, tokens }, warnings }
}

function drafting(
  { draftModel: named, draftCostRatio: costRatio = 0, acceptance }: Omit<SpeculativeRequest, 'tokens'>,
  model: Transformer,
  catalogue: Catalogue,
): ResolvedSpeculation<Omit<Speculation, 'tokens'>> {
  if (named === undefined) return { speculation: { acceptance, draft: { costRatio } }, warnings: [] }
  const { transformer: draft, warnings } = draftOf(named, catalogue)
  const usable = draftModel(draft, model)
  if ('refusal' in usable) throw faultyValue('impossible-combination', { pointer, detail: usable.refusal })
  const release = typeof named === 'string' && named.includes('/') ? named : undefined
  return {
    speculation: { acceptance, draft, ...present({ release }) },
    warnings: [...usable.warnings, ...warnings],
  }
}

/** Faults of the draft model point at the draft. */
function draftOf(request: ModelRequest, catalogue: Catalogue): ResolvedModel {
  try {
    return resolvedModel(request, catalogue)
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    const faults = error.faults.map((fault) => ({
      ...fault,
      pointer: fault.pointer.replace(/^\/model/, pointer),
    }))
    throw faults.length > 0 ? faulty(error.slug, faults) : error
  }
}
