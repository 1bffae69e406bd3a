/** A launch file or a model's config.json given in place of a request: which of them it looks like, and how the command reads it. */
import { isFields } from '../../src/fields.ts'
import type { LaunchKey } from '../translate/launch/file.ts'
import { otherLauncher } from '../translate/launch/other-launchers.ts'
import { foreignManifest } from './foreign-manifest.ts'

/** What the launch files of each framework have and requests have not; the first that is found counts. */
const marks: Readonly<Record<LaunchKey, RegExp>> = {
  megatronBridge: /megatron[-_.]bridge|scripts\/performance\/\S+\.py|\brun_recipe\.py\b/i,
  torchtitan: /torchtitan|\brun_train\.sh\b|^\[(parallelism|activation_checkpoint)\]$/im,
  maxtext:
    /maxtext|^(ici|dcn)_\w+_parallelism:|^(base_config|base_emb_dim|remat_policy|per_device_batch_size):/im,
  tensorrtLlm:
    /\btrtllm-(serve|bench)\b|\bdynamo\.trtllm\b|^(kv_cache_config|cuda_graph_config|enable_attention_dp|moe_config):/m,
  sglang:
    /\bsglang(\.launch_server| serve)\b|\bdynamo\.sglang\b|\blmsysorg\/sglang\b|^(tp|tp-size|model-path|mem-fraction-static):/m,
  vllm: /\bvllm(\.entrypoints| serve)\b|\bdynamo\.vllm\b|\bvllm\/vllm-\w+|^(tensor-parallel-size|gpu-memory-utilization|max-num-seqs):/m,
  accelerate: /^distributed_type:/m,
  megatron: /\bpretrain_\w+\.py\b|--tensor-model-parallel-size/,
  deepspeed: /["']zero_optimization["']|^zero_optimization:/,
}

/** Frameworks of which configs are read alone: a script may write one. */
const configs: readonly string[] = ['accelerate', 'deepspeed']

/** Keys of which every request has one, whatever it leaves to the options of a command; in MaxText's configs `hardware` is a word. */
const requestKeys = ['model', 'workload', 'plan', 'variants', 'runs', 'against']

/** Options of a server in a file of its own have hyphens, which no request has; `model` is one of them. */
export const isRequest = (body: unknown) =>
  isFields(body) &&
  (isFields(body.hardware) || requestKeys.some((key) => key in body)) &&
  !Object.keys(body).some((key) => key.includes('-'))

/** Whether lines of a text begin with keys that requests have, be it no YAML as a whole. */
export function isRequestOfLines(text: string): boolean {
  return (
    ['hardware', ...requestKeys].filter((key) => text.includes(`\n${key}:`) || text.startsWith(`${key}:`))
      .length > 1
  )
}

export interface Meant {
  /** How to read the file instead, as the end of a message. */
  readonly says: string
  /** The framework of which it is a launch file, if it is one that is read. */
  readonly key?: string
}

/** Null if the file looks like neither, or is a request that holds one. */
export function launchMeant(text: string, body: unknown, file: string | null): Meant | null {
  const other = isFields(body) && 'plan' in body ? null : otherLauncher(text)
  if (other !== null) return { says: `it ${other}` }
  const foreign = isFields(body) && 'plan' in body ? null : foreignManifest(text, body)
  if (isRequest(body) && foreign === null) return null
  if (isFields(body) && typeof body.model_type === 'string') {
    const says = `it looks like a model's config.json, which is read with --model ${file ?? 'FILE.json'} --chip NAME --chips N`
    return { says }
  }
  const ofScripts = !isFields(body) && (isScript(text) || typeof body === 'string')
  const key = Object.entries(marks).find(
    ([name, mark]) => mark.test(text) && !(ofScripts && configs.includes(name)),
  )?.[0]
  if (key) {
    const says = `it looks like a launch file of ${key}, which is read with --launch ${key}=${file ?? 'FILE'} --chip NAME --chips N`
    return { says, key }
  }
  if (foreign !== null) return { says: foreign }
  if (!ofScripts) return null
  if (isPython(text)) {
    const says =
      'it is a program in Python, which is not run here: give the command or script that starts it (--launch FRAMEWORK=FILE), or the plan'
    return { says }
  }
  const says = `it is a script in which no program of a framework that is read is named; where another script of its starts one, that is the launch file: --launch ${file ? `FRAMEWORK=${file}` : 'FRAMEWORK=FILE'} reads this one (${Object.keys(marks).join(', ')})`
  return { says }
}

function isPython(text: string): boolean {
  return !/^#!.*sh\b|^#SBATCH\b/m.test(text) && /^(import \w|from [\w.]+ import\b)/m.test(text)
}

/** What a shell or Python begins by; a request begins by a key. */
function isScript(text: string): boolean {
  return /^#!|^(#SBATCH|export|import|from|set -)\b/m.test(text.slice(0, 4000))
}
