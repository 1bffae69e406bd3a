/**
 * Options whose value is JSON: parsers of servers end at one that is none, as where quotes are left out or a brace is missing. Source: vllm-project/vllm,
 * vllm/engine/arg_utils.py (parse_type, json.loads and the validators of configs); sgl-project/sglang, configs/model_config.py
 * (json_model_override_args), server_args.py.
 */
import { isFilledIn, type Options } from '../read/options.ts'

export const jsonOptions = {
  vLLM: [
    ...['--speculative-config', '--kv-transfer-config', '--kv-events-config', '--eplb-config'],
    ...['--hf-overrides', '--compilation-config', '-cc', '--additional-config', '--attention-config'],
    ...['--kernel-config', '--structured-outputs-config', '--override-generation-config'],
    ...['--mm-processor-kwargs', '--default-chat-template-kwargs', '--rope-scaling', '--limit-mm-per-prompt'],
  ],
  SGLang: ['--json-model-override-args', '--model-loader-extra-config', '--preferred-sampling-params'],
} as const

/** Why a server does not start with values that begin as an object and are no JSON; what a shell or a template fills in is not known. */
export function brokenJson(options: Options, server: keyof typeof jsonOptions): readonly string[] {
  return jsonOptions[server].flatMap((name) => {
    const [value = ''] = options.given(name) ?? []
    if (!value.trimStart().startsWith('{') || isFilledIn(value) || isJson(value)) return []
    return [`${server} does not start: ${name} ${value.slice(0, 100)} is no JSON`]
  })
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
