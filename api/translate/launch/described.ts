/**
 * Jobs that files of other tools describe, as the shell script that these run:
 *
 *   a task of SkyPilot       `run`, with `envs` and what it sets itself (docs.skypilot.co, "Environment Variables and Secrets")
 *   values of vLLM's         a `vllm serve` for each of modelSpec, as helm/templates/deployment-vllm-multi.yaml and ray-cluster.yaml
 *   production-stack         make of it (vllm-project/production-stack a6c01db)
 */
import { compact } from '../../../src/compact.ts'
import { type Fields, isFields, ownValue } from '../../../src/fields.ts'
import { quoted } from './quoted.ts'
import { yamlDocuments } from './yaml-documents.ts'

/** Null for any other text. */
export function described(text: string): string | null {
  const tasks = tasksIn(text).map(scriptOf)
  if (tasks.length > 0) return tasks.join('\n')
  const started = engineSpecsIn(text)
  return started.length > 0 ? started.map(engineOf).join('\n') : null
}

/** The engines that values of vLLM's production-stack start. */
export function engineSpecsIn(text: string): readonly Fields[] {
  const engines = parsed(text, /^servingEngineSpec:/m).flatMap(({ servingEngineSpec }) =>
    isFields(servingEngineSpec) ? listed(servingEngineSpec.modelSpec) : [],
  )
  return engines.filter(({ enabled }) => enabled !== false)
}

/** The one kind of chip that a task asks for, by SkyPilot's name; null if it names none or several. */
export function acceleratorIn(text: string): string | null {
  const kinds = new Set(tasksIn(text).flatMap((task) => acceleratorsOf(task).map(([kind]) => kind)))
  const [kind] = kinds
  return kind === undefined || kinds.size > 1 ? null : (ownValue(otherwise, kind) ?? kind)
}

/** GPUs of all nodes of the one task; undefined where it does not say, and of TPUs, whose names say how many they are. */
export function gpusOfTasks(text: string): number | undefined {
  const [task, ...others] = tasksIn(text)
  const asked = task ? acceleratorsOf(task) : []
  const [count, ...counts] = new Set(asked.map(([, each]) => each))
  const all = Number(count) * Number(task?.num_nodes ?? 1)
  const told = others.length === 0 && counts.length === 0 && !asked.some(([kind]) => /^tpu/i.test(kind))
  return told && Number.isInteger(all) && all > 0 ? all : undefined
}

/** SkyPilot's names of what others call by another. */
const otherwise: Readonly<Record<string, string | undefined>> = { A100: 'A100-40GB' }

/** What other tools call `run` has no resources beside it. */
function tasksIn(text: string): readonly Fields[] {
  return parsed(text, /^run:/m).filter(
    ({ run, resources, num_nodes }) =>
      typeof run === 'string' && (isFields(resources) || num_nodes !== undefined),
  )
}

function parsed(text: string, mark: RegExp): readonly Fields[] {
  return (yamlDocuments(text, mark) ?? []).filter(isFields)
}

function listed(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : []
}

/** The script of the node whose rank is 0. */
function scriptOf(task: Fields): string {
  const { run, envs, num_nodes: nodes } = task
  const counts = new Set(acceleratorsOf(task).map(([, count]) => count))
  const [count] = counts
  const variables = Object.entries({
    SKYPILOT_NUM_NODES: nodes ?? 1,
    SKYPILOT_NODE_RANK: 0,
    ...(counts.size === 1 ? { SKYPILOT_NUM_GPUS_PER_NODE: count } : {}),
    ...(isFields(envs) ? envs : {}),
  }).filter(([name, value]) => /^[A-Za-z_]\w*$/.test(name) && value !== null)
  return [...variables.map(([name, value]) => `export ${name}=${quoted(String(value))}`), run].join('\n')
}

/** Written `H100:8`, `{H100: 8}`, or as several of which one is taken. */
function acceleratorsOf({ resources }: Fields): readonly (readonly [kind: string, count: number])[] {
  const said = isFields(resources) ? resources.accelerators : undefined
  const each = isFields(said)
    ? Object.entries(said).map(([kind, count]) => (count === null ? kind : `${kind}:${String(count)}`))
    : said === undefined
      ? []
      : [said].flat().map(String)
  return each.map((one) => {
    const [kind = '', count = '1'] = one.split(':')
    return [kind, Number(count)]
  })
}

/** Keys of vllmConfig that are options of vLLM as they are. */
const settings: Readonly<Record<string, string>> = {
  maxModelLen: '--max-model-len',
  dtype: '--dtype',
  tensorParallelSize: '--tensor-parallel-size',
  maxNumSeqs: '--max-num-seqs',
  gpuMemoryUtilization: '--gpu-memory-utilization',
  maxLoras: '--max-loras',
  runner: '--runner',
  convert: '--convert',
}

function engineOf({ modelURL, vllmConfig, raySpec, lmcacheConfig, enableLoRA }: Fields): string {
  const config = isFields(vllmConfig) ? vllmConfig : {}
  const caches = isFields(lmcacheConfig) && lmcacheConfig.enabled ? lmcacheConfig : null
  const given = Object.entries(settings).flatMap(([key, option]) =>
    config[key] === undefined ? [] : [option, String(config[key])],
  )
  // Only a cluster of Ray is told of stages.
  const staged = isFields(raySpec) && raySpec.enabled ? config.pipelineParallelSize : undefined
  const transfer = `{"kv_connector":"LMCacheConnectorV1","kv_role":"${String(caches?.kvRole ?? 'kv_both')}"}`
  const words = compact(
    ['vllm', 'serve', String(modelURL)],
    enableLoRA === true && '--enable-lora',
    config.enableChunkedPrefill !== undefined &&
      `--${config.enableChunkedPrefill ? '' : 'no-'}enable-chunked-prefill`,
    `--${config.enablePrefixCaching ? '' : 'no-'}enable-prefix-caching`,
    given,
    staged !== undefined && ['--pipeline-parallel-size', String(staged)],
    Array.isArray(config.extraArgs) && config.extraArgs.map(String),
    caches && ['--kv-transfer-config', transfer],
  )
  return words.map(quoted).join(' ')
}
