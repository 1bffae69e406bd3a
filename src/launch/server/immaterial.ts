/** Options that servers have in common and that have no say in a plan: doors, names, and what a prompt is made of. */
export const serverDoors = [
  '--host',
  '--port',
  '--api-',
  '--served-',
  '--tokenizer',
  '--chat-',
  '--trust-',
  '--load-',
  '--download-',
  '--revision',
  '--tool-',
  '--reasoning',
] as const
