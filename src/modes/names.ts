/** Names of the modes; `phaseModes` are those of one pass of inference. */
export const phaseModes = ['prefill', 'generate'] as const

export type PhaseMode = (typeof phaseModes)[number]

export const modes = ['train', ...phaseModes, 'serve'] as const
