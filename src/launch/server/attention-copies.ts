/**
 * Attention by sequences as frameworks do it (data-parallel attention): each group of chips projects its own sequences,
 * and so needs its own attention weights. A plan keeps these once and moves queries between chips. Caches, MLP and
 * batch are the same. With g groups on t tensor chips, a chip holds (g - 1)/t of a stage's attention weights more than
 * the plan counts; groups over the plan's expert axis have their own already. Source: as each framework's own file.
 */
import { parameterBytes } from '../../cost/memory/parameter-bytes.ts'
import { parameterCount } from '../../model/parameters.ts'
import { bytesText } from '../../plan/explain/figures.ts'
import type { Rule } from '../../rules/rule.ts'
import type { Bytes } from '../../units.ts'
import type { Serving } from './serving.ts'

export function attentionCopyRule(framework: string): Rule<Serving> {
  return {
    broken: (serving) =>
      serving.sharingGroups > 1 && fits(serving, 0) && !fits(serving, attentionCopyBytes(serving)),
    says: (serving) =>
      `${framework} has attention weights once for each group of sequences: ${bytesText(attentionCopyBytes(serving))} more on a chip, which do not fit`,
  }
}

/** A plan that does not fit even without copies is refused by another rule. */
function fits({ memory }: Serving, more: Bytes): boolean {
  return memory.total + more <= memory.budget * (1 + 1e-12)
}

/**
 * If every chip attends to its own sequences and holds whole experts, the plan with axis `expert` describes the same
 * server, and counts the copies.
 */
export function expertRanksRule(framework: string): Rule<Serving> {
  return {
    broken: ({ sharingGroups, tensors, experts }) =>
      sharingGroups > 1 && sharingGroups === tensors && experts?.whole === true,
    says: ({ tensors }) =>
      `${framework} has whole attention weights on each chip that attends to its own sequences beside whole experts: that is mesh expert ${tensors} with experts dispatched, not tensor ${tensors}`,
  }
}

/** The framework has groups of sequences only together with experts. */
export function denseGroupsRule(framework: string): Rule<Serving> {
  return {
    broken: ({ attentionGroups, model }) => attentionGroups > 1 && model.experts === null,
    says: `${framework} shares out attention by sequences beside experts alone; of a dense model it would copy the MLP as well`,
  }
}

export function attentionCopyNotes(serving: Serving, framework: string): readonly string[] {
  if (serving.sharingGroups === 1) return []
  const copies = bytesText(attentionCopyBytes(serving))
  return [
    `${framework} keeps caches by sequences as the plan does, but attention weights once for each group of sequences: ${copies} on a chip, and the time to read them, that the plan does not count.`,
  ]
}

/** Bytes per chip that the plan does not count. */
export function attentionCopyBytes({
  model,
  setting,
  tensors,
  mesh,
  sharingGroups,
  stageLayers,
}: Serving): Bytes {
  const layer = parameterCount(model).attention / model.layers
  const bytes = stageLayers * layer * parameterBytes(setting.precision, 'attention')
  return (bytes * (sharingGroups - 1) * mesh.expert) / tensors
}
