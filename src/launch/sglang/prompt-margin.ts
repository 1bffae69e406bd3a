/** Positions of the context length that a prompt may not take. Source: flags.ts. */
export const promptMargin = 6
