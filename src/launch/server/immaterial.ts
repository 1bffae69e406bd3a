/** Prefixes of options that servers have in common and that do not affect a plan: addresses, names, and how prompts are made. */
export const serverDoors = `
  --host --port --api- --served- --tokenizer --chat- --trust- --load- --download- --revision --tool-
  --reasoning
`
