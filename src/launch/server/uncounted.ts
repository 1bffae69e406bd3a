/** Notes on options that servers have in common and that no plan counts. */

/** Steps are counted as replayed graphs, whose kernels are not started one by one. */
export function withoutGraphs(option: string): string {
  return `${option}: steps are counted with graphs, without which starting kernels takes longer`
}

export function withOverrides(option: string): string {
  return `${option}: what it changes of the model is not read; say it in the request's model`
}

/** What a request can say of drafts, by its mode: deployments have no word for them. */
const ofDrafts: Readonly<Record<string, string>> = {
  prefill: 'prompts are read without drafts',
  serve: 'deployments are costed without drafts; workload.speculative of mode generate says what they gain',
}

export function withDrafts(option: string, mode: string | null): string {
  return `${option} is not counted: ${ofDrafts[mode ?? ''] ?? 'say it in workload.speculative'}`
}
