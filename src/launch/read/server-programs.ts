/** How servers are started, one row for each: a file that is given for another is told by these, too. */

/** How a framework's server is started. */
export interface Program {
  readonly name: string
  /** Of a word and the next one: a program may have other commands (`vllm bench serve`), and its name may be a value (`--backend vllm`). */
  readonly starts: RegExp
  /** A container image that starts it, with the options behind it. */
  readonly image?: RegExp
  readonly usual: string
}

export const serverPrograms = {
  vllm: {
    name: 'vLLM',
    starts: /^(\/.*\/)?vllm serve$|^vllm\.entrypoints|^dynamo\.vllm /,
    // The image's entry point is the server (docs/deployment/docker.md).
    image: /^(docker\.io\/)?vllm\/vllm-[\w-]+[:@ ]/,
    usual: 'vllm serve MODEL …, docker run … vllm/vllm-openai:TAG --model MODEL …, or options alone',
  },
  sglang: {
    name: 'SGLang',
    starts: /^(\/.*\/)?sglang serve$|^\S*sglang[./]launch_server(\.py)? |^dynamo\.sglang /,
    usual: 'python3 -m sglang.launch_server --model-path MODEL …, also behind docker run, or options alone',
  },
  tensorrtLlm: {
    name: 'TensorRT-LLM',
    starts: /^\S*trtllm-serve (?!disaggregated)|^dynamo\.trtllm /,
    usual: 'trtllm-serve MODEL …, also behind docker run or srun',
  },
} as const satisfies Readonly<Record<string, Program>>
