/**
 * Tokens of a step for a server that reads prompts behind cached prefixes. Lengths of prefixes are means, and of every conversation the first request
 * finds none: it is read in steps as servers have them by default, not in ones of what a mean request has left. By default these have 8192 tokens
 * (vllm/step-tokens.ts, sglang/step-tokens.ts, tensorrt-llm/options.ts), of which as many are kept as memory has room to work with.
 */
import type { Transformer } from '../../model/transformer.ts'
import { mostTokens, pagePositions } from '../../modes/serve/readers.ts'
import type { MemoryAccount } from '../../plan/plan.ts'
import type { Mesh } from '../../sharding/axis.ts'

/** Of a server's plan. */
interface Reading {
  readonly model: Transformer
  readonly mode: string
  readonly mesh: Mesh
  readonly keepsPrefixes: boolean
  readonly unitTokens: number
  readonly contextLength: number
  readonly memory: MemoryAccount
}

interface Read {
  /** The most new positions that a group is told to read at once. */
  readonly readTokens: number
  /** With what they take to work with. */
  readonly memory: MemoryAccount
}

export function readsMisses({ model, mode, mesh, keepsPrefixes, ...own }: Reading): Read {
  const { unitTokens, contextLength, memory } = own
  const plain = { readTokens: unitTokens, memory }
  // A pipeline is told the parts that its stages pass on.
  if (mode !== 'prefill' || !keepsPrefixes || mesh.pipeline > 1) return plain
  const page = pagePositions(model)
  const { workspace, total, budget } = memory
  const room = workspace > 0 ? (budget - total + workspace) / workspace : Number.POSITIVE_INFINITY
  const whole = Math.ceil(Math.min(mostTokens, contextLength) / page) * page
  const most = Math.min(whole, Math.floor((unitTokens * room) / page) * page)
  if (most <= unitTokens) return plain
  const more = workspace * (most / unitTokens - 1)
  return { readTokens: most, memory: { ...memory, workspace: workspace + more, total: total + more } }
}

/** What the launch of a server says that reads more than its plan's step. */
export function missNote({
  readTokens,
  unitTokens,
}: Pick<Reading, 'unitTokens'> & Pick<Read, 'readTokens'>): string | null {
  if (readTokens <= unitTokens) return null
  return `A prompt that finds no prefix, as the first of a conversation, is read in steps of ${readTokens} tokens, for which there is memory; the plan counts ${unitTokens} a step.`
}
