/**
 * Servers of one file that differ in more than where they run: a check of one of them is none of the others. Two that differ only in their
 * address, their port or their rank are replicas, or nodes of one server.
 */

/**
 * Options that say where a server runs, listens and hands caches to, or what it is called there. Source: vllm-project/vllm 01e4fce,
 * vllm/entrypoints/openai/cli_args.py and vllm/engine/arg_utils.py; SGLang's python/sglang/srt/server_args.py has the same names.
 */
const places =
  /^--(host|port|uds|root-path|api-key|served-model-name|node-rank|master-addr|master-port|headless|data-parallel-(rank|start-rank|address|rpc-port)|dist-init-addr|nccl-port|base-gpu-id|kv-transfer-config|disaggregation-bootstrap-port)(=|$)/

/** Of servers those that are not like the last, each once; `spelled` gives a word its long name. */
export function unlikeLast(
  servers: readonly (readonly string[])[],
  spelled: (word: string) => string,
): readonly string[] {
  const said = servers.map((words) => withoutPlaces(words.map(spelled)).join(' '))
  const last = said.at(-1)
  return [...new Set(said)].filter((one) => one !== last)
}

/** An option is left out with what follows it. */
function withoutPlaces(words: readonly string[]): readonly string[] {
  let skips = false
  return words.filter((word) => {
    if (word.startsWith('-')) skips = places.test(word)
    return !skips && word !== 'serve'
  })
}
