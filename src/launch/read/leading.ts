/**
 * Nodes of one server, each started by a command of its own: the first takes requests, and has options that the others need not repeat, such as limits on sequences.
 * Those of vLLM that only run ranks are told --headless, and a data rank or a node says its number (vllm-project/vllm 01e4fce,
 * docs/serving/data_parallel_deployment.md; SGLang alike).
 */

const following = /(^| )--(headless( |$)|(node-rank|data-parallel-rank|data-parallel-start-rank)[= ][1-9])/

/** The commands of first nodes; all of them where none is known to be one. */
export function ofFirstNode<Words extends readonly string[]>(
  servers: readonly Words[],
  spelled: (word: string) => string,
): readonly Words[] {
  const leading = servers.filter((words) => !following.test(words.map(spelled).join(' ')))
  return leading.length > 0 ? leading : servers
}
