/**
 * Attention by sequences as frameworks have it (data-parallel attention): a group of chips projects its own sequences,
 * and so has attention weights of its own; the plan instead keeps them once and moves queries between chips. Caches, MLP
 * and batch are the plan's. Of g groups on t tensor chips a chip holds more by (g - 1)/t of a stage's attention weights;
 * groups that are the plan's own, over its expert axis, have theirs.
 * Source: as each framework's own file.
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

/** What does not fit by itself has no need of copies. */
function fits({ memory }: Serving, more: Bytes): boolean {
  return memory.total + more <= memory.budget * (1 + 1e-12)
}

/** Where each chip has its own sequences and whole experts, the plan that has those copies is `expert`, and counts them. */
export function expertRanksRule(framework: string): Rule<Serving> {
  return {
    broken: ({ sharingGroups, tensors, experts }) =>
      sharingGroups > 1 && sharingGroups === tensors && experts?.whole === true,
    says: ({ tensors }) =>
      `${framework} has whole attention weights on each chip that attends to its own sequences beside whole experts: that is mesh expert ${tensors} with experts dispatched, not tensor ${tensors}`,
  }
}

/** Of a framework whose groups of sequences share chips of experts alone. */
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

/** What a chip holds more than the plan counts. */
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
