/** Notes on options that servers have in common and that no plan counts. */

/** Steps are counted as replayed graphs, whose kernels are not started one by one. */
export function withoutGraphs(option: string): string {
  return `${option}: steps are counted with graphs, without which starting kernels takes longer`
}

export function withOverrides(option: string): string {
  return `${option}: what it changes of the model is not read; say it in the request's model`
}

/** No server is told how many of its drafts are accepted, without which they say nothing of its times. */
export function withDrafts(option: string, mode: string | null): string {
  const why =
    mode === 'prefill'
      ? 'prompts are read without drafts'
      : 'drafts count as workload.speculative says them, with the share of them that is accepted'
  return `${option} is not counted: ${why}`
}
