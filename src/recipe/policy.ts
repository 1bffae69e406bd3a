/** Rematerialisation policies, looked up by name. */
import type { AttentionPattern, Transformer } from '../model/transformer.ts'
import { composedPolicy } from './composed-policy.ts'
import { inputAlone, policies } from './policies.ts'
import type { Block, ModelKind, PolicyRow } from './policy-row.ts'

export const policyRows: readonly PolicyRow[] = policies

/** No other policy does less work, or keeps more. */
export const keepEverything: PolicyRow = policies[0]

export const recomputeEverything: PolicyRow = inputAlone

/** The policy of this name, of the table or composed. */
export function policyNamed(name: string): PolicyRow | undefined {
  return policyRows.find((row) => row.name === name) ?? composedPolicy(name)
}

/**
 * What runs again of a layer that keeps its input alone: the `whole` forward pass, as Megatron's checkpoint has it, or what is `needed` by
 * the backward pass, where a compiler drops the rest (XLA, torch.compile) or a checkpoint stops early (PyTorch 2.1 and later, unless told
 * otherwise). The difference is a layer's last product, what is moved after it, and the last sum.
 * Sources: Megatron-LM @004bfb5686, megatron/core/tensor_parallel/random.py, CheckpointFunction.backward; the same in Transformer
 * Engine, pytorch/distributed.py. Korthikanti et al. 2022 (arXiv 2205.05198), table 4: recomputing a layer of 22B takes 7.6 ms, its
 * forward pass 7.7. The book counts 8 FLOPs for 6, which is the whole.
 */
export const recomputations = ['whole', 'needed'] as const

export type Recomputation = (typeof recomputations)[number]

export const everyBlock: readonly Block[] = ['attention', 'mlp', 'experts']

/** The policy as software runs it: a layer that keeps its input alone, or a module that is checkpointed, may run whole. */
export function asRun(policy: PolicyRow, recomputation: Recomputation): PolicyRow {
  const { attention, mlp, stream } = policy
  const inputOnly = attention.length === 0 && mlp.length === 0 && stream === 1
  if (recomputation === 'whole') return inputOnly ? { ...policy, whole: everyBlock } : policy
  const { whole, ...needed } = policy
  return whole ? needed : policy
}

/** Whether all that these blocks make up runs again, whatever of it is read. */
export function runsWhole({ whole = [] }: PolicyRow, blocks: readonly Block[]): boolean {
  return blocks.every((block) => whole.includes(block))
}

/** What a policy keeps of each kind of block. */
export function keptByBlock({ attention, mlp, experts = mlp }: PolicyRow) {
  return { attention, mlp, experts }
}

/**
 * Whether `other` computes and moves again whatever `policy` does, and perhaps more: it keeps nothing that that one does not. Of two policies
 * that keep different arrays the leaner may well have less to do (save_dot_with_context_except_mlp keeps what attention made, minimal does not).
 */
export function onlyAdds(policy: PolicyRow, other: PolicyRow): boolean {
  const [own, leaner] = [keptByBlock(policy), keptByBlock(other)]
  return (
    other.stream <= policy.stream &&
    everyBlock.every((block) => leaner[block].every((array) => own[block].includes(array))) &&
    runsWhole(other, policy.whole ?? [])
  )
}

/** How many of a layer's two norms are computed again. */
export function normsAgain({ attention, mlp }: PolicyRow): number {
  return [attention, mlp].filter((kept) => !kept.includes('In')).length
}

/** Whether copies of tokens stay with their experts until the backward pass, and need not be sent again. */
export function keepsCopies(policy: PolicyRow): boolean {
  return keptByBlock(policy).experts.includes('Dispatched')
}

/** How activations are counted: array by array, or by the book's table. */
export const activationCounts = ['counted', 'book'] as const

export type ActivationCount = (typeof activationCounts)[number]

type Asked = Pick<Transformer, 'experts'> & {
  readonly attention: Pick<AttentionPattern, 'latent' | 'compressed'>
}

const isOf: Readonly<Record<ModelKind, (model: Asked) => boolean>> = {
  latent: ({ attention }) => attention.latent !== null || attention.compressed !== undefined,
  experts: ({ experts }) => experts !== null,
  dense: ({ experts }) => experts === null,
}

/** Policies of a model that can be costed: under the book's table, those that the book counts. Without a model, those that are for all. */
export function offeredPolicies(
  activations: ActivationCount,
  model: Asked | null = null,
): readonly PolicyRow[] {
  const counted = policyRows.filter(({ book }) => activations === 'counted' || book !== undefined)
  return counted.filter(({ models }) => models === undefined || (model !== null && isOf[models](model)))
}

/** The composed policies among these names, as a model with or without gates keeps them; the book's table has none. */
export function composedPolicies(
  names: readonly string[],
  activations: ActivationCount,
  { gatedMlp }: { readonly gatedMlp: boolean },
): readonly PolicyRow[] {
  if (activations === 'book') return []
  return [...new Set(names)].flatMap((name) => composedPolicy(name, gatedMlp) ?? [])
}

/** Those of the table, and the composed ones among these names. */
export function policyNamesWith(
  names: readonly string[],
  activations: ActivationCount,
  model: Asked & { readonly gatedMlp: boolean },
): readonly string[] {
  const composed = composedPolicies(names, activations, model).map(({ name }) => name)
  return [...policyNames(activations, model), ...composed]
}

export function policyNames(activations: ActivationCount, model?: Asked): readonly string[] {
  return offeredPolicies(activations, model).map(({ name }) => name)
}
