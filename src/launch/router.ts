/**
 * The router in front of servers whose phases are apart: it sends each request to a server that prefills, and then to
 * one that generates. Source: sgl-project/sglang, docs/advanced_features/pd_disaggregation.md; NVIDIA/TensorRT-LLM,
 * examples/disaggregated/README.md; vllm-project/vllm, docs/features/nixl_connector_usage.md, whose proxy is an
 * example.
 */
import { type Framework, type Server, servers } from './framework.ts'
import { isAsked, refusalOf, refusedFor, unwrittenOf } from './launch.ts'
import { ofOther } from './server/apart.ts'
import { sglangVersion } from './sglang/version.ts'
import type { Start } from './start.ts'
import { tensorrtVersion } from './tensorrt-llm/version.ts'

export interface Apart {
  readonly prefill: Readonly<Record<string, unknown>>
  readonly generate: Readonly<Record<string, unknown>>
  /** Number of servers for each phase. */
  readonly prefills: number
  readonly generates: number
  /** Frameworks that are asked for; all, if there are none. */
  readonly frameworks: readonly Framework[]
}

type Counts = Pick<Apart, 'prefills' | 'generates'>

/** Most servers of a file that names each: a larger deployment is made from a template, and its file of megabytes helps nobody. */
const mostNamed = 1024

/** Null where the command would be of no use. */
const routers: Readonly<Partial<Record<Server, (counts: Counts) => Start | null>>> = {
  sglang: ({ prefills, generates }) => ({
    version: sglangVersion,
    command: `: "\${PREFILL_URLS:?the ${prefills} that read prompts, each with its bootstrap port, such as http://host:30000,8998}" "\${GENERATE_URLS:?the ${generates} that generate, such as http://host:30100}"; prefills=\${PREFILL_URLS// / --prefill }; python3 -m sglang_router.launch_router --pd-disaggregation --prefill \${prefills//,/ } --decode \${GENERATE_URLS// / --decode }`,
    files: [],
  }),
  'tensorrt-llm': (counts) => {
    if (counts.prefills + counts.generates > mostNamed) return null
    const name = 'router.yaml'
    const text = `${JSON.stringify(tensorrtRouter(counts), null, 2)}\n`
    return {
      version: tensorrtVersion,
      command: `trtllm-serve disaggregated -c ${name}`,
      files: [{ name, text }],
    }
  },
}

function tensorrtRouter({ prefills, generates }: Counts): object {
  const group = (name: string, count: number, port: number) => ({
    num_instances: count,
    urls: Array.from({ length: count }, (_, at) => `${name}-${at}:${port}`),
  })
  return {
    ...{ hostname: '0.0.0.0', port: 8000 },
    ...{
      context_servers: group('prefill', prefills, 8000),
      generation_servers: group('generate', generates, 8000 + ofOther),
    },
  }
}

const notes: Readonly<Partial<Record<Server, string>>> = {
  vllm: 'vLLM has no router of its own: a proxy as in docs/features/nixl_connector_usage.md of its repository sends a request to a server of either phase in turn, to port 8000 and up of those that read prompts and 8100 and up of those that generate.',
  'tensorrt-llm': `TensorRT-LLM: put the hosts of the servers in router.yaml, which is written for up to ${mostNamed} servers.`,
}

/** For each framework, how it launches both phases, or why it cannot; with commands for the routers of those that can. */
export function routerLaunch({
  prefill,
  generate,
  frameworks,
  ...counts
}: Apart): Readonly<Record<string, unknown>> {
  const named = servers.filter((name) => name in prefill && name in generate)
  const able = named.filter((name) => !refusalOf(prefill[name]) && !refusalOf(generate[name]))
  const told = named.map((name) => {
    if (able.includes(name)) return [name, { prefill: prefill[name], generate: generate[name] }]
    const ofBoth = (reasons: (flags: unknown) => readonly string[]) => [
      ...reasons(prefill[name]).map((sentence) => `prefill: ${sentence}`),
      ...reasons(generate[name]).map((sentence) => `generate: ${sentence}`),
    ]
    const all = ofBoth((flags) => refusalOf(flags) ?? [])
    return [name, refusedFor(all, ofBoth(unwrittenOf))]
  })
  if (able.length === 0) return Object.fromEntries(told)
  return {
    ...Object.fromEntries(told),
    commands: Object.fromEntries(able.flatMap((name) => startOf(name, counts))),
    notes: able.flatMap((name) => (isAsked(frameworks, name) ? (notes[name] ?? []) : [])),
  }
}

function startOf(name: Server, counts: Counts): readonly (readonly [string, Start])[] {
  const start = routers[name]?.(counts)
  return start ? [[`${name}-router`, start]] : []
}
