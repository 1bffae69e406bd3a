/** The frameworks that plans get flags for: trainers and servers. MaxText is both. */

export const trainers = ['megatron', 'torchtitan', 'maxtext'] as const

export const servers = ['vllm', 'sglang', 'tensorrt-llm', 'maxtext'] as const

export type Trainer = (typeof trainers)[number]

export type Server = (typeof servers)[number]

export type Framework = Trainer | Server

export const frameworks: readonly Framework[] = [...new Set([...trainers, ...servers])]

/** The frameworks of one kind among the named ones. */
export function ofKind<Kind extends Framework>(
  kind: readonly Kind[],
  named: readonly Framework[],
): readonly Kind[] {
  return kind.filter((name) => named.includes(name))
}
