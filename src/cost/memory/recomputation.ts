/**
 * Which einsums a policy runs again: those that lead to an operand of a backward einsum that was not kept.
 *
 * A component's input is a norm of the residual stream and costs nothing to compute again; the MLP's stream is the
 * layer's input plus the attention's output, which must be computed again where the policy does not keep the sum.
 */
import type { Assumptions } from '../../assumptions/assumptions.ts'
import { keptByBlock, runsWhole } from '../../recipe/policy.ts'
import type { PolicyRow } from '../../recipe/policy-row.ts'
import { arrayOfRole, type Component, type Einsum } from '../../sharding/component.ts'
import { componentRow } from '../../sharding/component-rows.ts'

export function keptArrays(component: Component, policy: PolicyRow): readonly string[] {
  const kept = keptByBlock(policy)
  return [...new Set(componentRow(component).keeps.flatMap((block) => kept[block]))]
}

/**
 * Arrays that nothing reads but matmuls with weights. A matmul in fewer bits keeps such an array as it read it, and what was read is gone: norms
 * keep what they read, not what they make. Of what attention or a scan makes these keep their own copy, which the next matmul then keeps too
 * (`set_save_original_input`: NVIDIA/Megatron-LM, megatron/core/transformer/attention.py), and low ranks are read by a norm. Two
 * projections down from one norm, each of which keeps a copy, are taken for one.
 */
export function operandsOf({ arrays, einsums }: Component): readonly string[] {
  return Object.values(arrays).flatMap(({ name, kind }) => {
    const readers = einsums.filter(({ left, right }) => left === name || right === name)
    const maker = einsums.find(({ out }) => out === name)
    const isRead = readers.length > 0 && readers.every((einsum) => isByWeight(einsum, arrays))
    return kind === 'activation' && isRead && (!maker || isForgotten(maker)) ? [name] : []
  })
}

function isByWeight({ kind, right }: Einsum, arrays: Component['arrays']): boolean {
  return kind === 'matmul' && arrays[right]?.kind === 'weight'
}

/** Whether what makes an array keeps no copy of it: an activation function, or a move. */
function isForgotten({ kind, before }: Einsum): boolean {
  return kind === 'elementwise' || kind === 'reshard' || before !== undefined
}

export function recomputedArrays(component: Component, policy: PolicyRow): readonly string[] {
  if (runsWhole(policy, componentRow(component).keeps)) return component.einsums.map(({ out }) => out)
  const kept = keptArrays(component, policy)
  const producers = new Map(component.einsums.map((einsum) => [einsum.out, einsum]))
  const wanted = new Set<string>()
  const want = (name: string) => {
    const producer = producers.get(name)
    if (!producer || wanted.has(name)) return
    if (kept.includes(name) || (producer.before !== undefined && kept.includes(producer.before))) return
    wanted.add(name)
    want(producer.left)
    want(producer.right)
  }
  for (const { left, right, kind: einsum } of component.einsums) {
    // The gradient of an array that was only moved, or copied, is moved back, or summed, which needs no operand.
    if (einsum === 'reshard' || einsum === 'route') continue
    for (const name of [left, right]) {
      const kind = component.arrays[name]?.kind
      if (kind === 'activation' || kind === 'passed') want(name)
    }
  }
  if (componentRow(component).beforeAnother && policy.stream < 2) want(arrayOfRole(component, 'output').name)
  return [...wanted]
}

/** Logits in pieces are gone by the time of the backward pass, unless their gradient was taken at once. */
export function recomputedLogits(
  head: Component,
  { lossChunks, recomputeLogits }: Assumptions,
): readonly string[] {
  return lossChunks > 1 && recomputeLogits ? [arrayOfRole(head, 'logits').name] : []
}
