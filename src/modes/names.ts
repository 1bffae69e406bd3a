/** The modes of a question: those of one pass, and all. */
export const phaseModes = ['prefill', 'generate'] as const

export type PhaseMode = (typeof phaseModes)[number]

export const modes = ['train', ...phaseModes, 'serve'] as const
