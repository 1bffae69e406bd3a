/** Notes on options that servers have in common and that no plan counts. */

/** Steps are counted as replayed graphs, whose kernels are not started one by one. */
export function withoutGraphs(option: string): string {
  return `${option}: steps are counted with graphs, without which starting kernels takes longer`
}

export function withOverrides(option: string): string {
  return `${option}: what it changes of the model is not read; say it in the request's model`
}
