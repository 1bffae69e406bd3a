/** The training frameworks that plans get flags for. */

export const frameworks = ['megatron', 'torchtitan', 'maxtext'] as const

export type Framework = (typeof frameworks)[number]
