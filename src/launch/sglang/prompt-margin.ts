/** Positions of the context length that a prompt may not use. Source: flags.ts. */
export const promptMargin = 6
