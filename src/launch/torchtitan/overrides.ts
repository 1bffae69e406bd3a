/**
 * The same plan for torchtitan's main, which reads no TOML: the name of a config, and differences from it as dotted
 * options, with the recomputation as a word at the end. A model, element type or dispatch that no named config has, and a
 * list of modules, need a config of one's own, in Python, that starts from a named one. Batches are counted in tokens.
 * Null if main cannot run the plan (on-main.ts). Source: version.ts, torchtitan/config/{configs,manager}.py.
 */
import { compact } from '../../compact.ts'
import { longName } from '../long-names.ts'
import type { Run } from '../run/run.ts'
import { torchrun } from '../run/torchrun.ts'
import { type Start, shellWords } from '../start.ts'
import { torchtitanDispatch } from './experts.ts'
import type { Flavor } from './named-flavor.ts'
import { configOnMain } from './on-main.ts'
import type { Registered } from './registry.ts'
import type { TomlSections, TomlValue } from './toml.ts'
import { torchtitanMain } from './version.ts'

/** Keys of the release that main no longer has, or has only in Python. */
const gone = [
  'pipeline_parallel_microbatch_size',
  'context_parallel_rotate_method',
  'expert_tensor_parallel_degree',
  'expert_parallel_comm_backend',
  'module_fqns_per_model_part',
]

export function torchtitanToday(run: Run, { model }: Flavor, sections: TomlSections): Start | null {
  const base = configOnMain(run)
  if (!base) return null
  const { parallelism = {}, activation_checkpoint: checkpoint = {} } = sections
  const module = ownConfig(run, model.flavor, base, parallelism)
  const named = module
    ? ['--module', 'shardplan_config', '--config', 'plan']
    : ['--module', base.module, '--config', base.config]
  const options = Object.entries({ ...training(run), ...degrees(run, parallelism) }).flatMap(
    ([name, value]) => (value === true ? [`--${name}`] : [`--${name}`, String(value)]),
  )
  const words = [...named, ...options, `activation-checkpoint:${checkpoint.mode}`]
  return {
    version: torchtitanMain,
    command: `${torchrun(run.problem.cluster)} -m torchtitan.train ${shellWords(words)}`,
    files: module ? [{ name: 'shardplan_config.py', text: module }] : [],
    parallelism: shellWords(words.slice(named.length)),
  }
}

function training({
  mesh,
  microbatch,
  globalBatch,
  sequenceLength,
  problem,
}: Run): Readonly<Record<string, TomlValue>> {
  return {
    'training.max_context_length': sequenceLength,
    'training.num_tokens_per_microbatch_per_dp_rank': microbatch * sequenceLength,
    'training.num_tokens_per_train_step': globalBatch * sequenceLength,
    'training.mixed_precision_param': longName(problem.precision.compute),
    // Neither a pipeline nor a dispatch that waits for the host can be captured in a graph.
    ...(mesh.pipeline > 1 || mesh.expert > 1 ? { 'training.disable_cuda_graphs': true } : {}),
  }
}

function degrees(
  { mesh, microbatches }: Run,
  parallelism: TomlSections[string],
): Readonly<Record<string, TomlValue>> {
  const kept = Object.entries(parallelism).filter(([name]) => !gone.includes(name))
  return {
    ...Object.fromEntries(kept.map(([name, value]) => [`parallelism.${name}`, value])),
    'parallelism.expert_parallel_degree': mesh.expert,
    ...(mesh.pipeline > 1 ? { 'parallelism.num_pp_microbatches': microbatches } : {}),
  }
}

/** A Python config of one's own; null if a named config has the model. */
function ownConfig(
  run: Run,
  flavor: string,
  base: Registered,
  parallelism: TomlSections[string],
): string | null {
  const fp8 = run.problem.precision.compute === 'fp8'
  const deepEp = torchtitanDispatch.usesKernels(run)
  const parts = parallelism.module_fqns_per_model_part
  if (base.flavor === flavor && fp8 === (base.spec?.fp8 !== undefined) && !deepEp && !parts) return null
  const kept = flavor === base.flavor && base.module === 'deepseek_v3' ? ['attn_backend="flex"'] : []
  const model = compact(
    JSON.stringify(flavor),
    kept,
    deepEp && 'moe_comm_backend="deepep"',
    fp8 && 'converters=[converter]',
  )
  const converter = [
    '    converter = Float8LinearConverter.Config(filter_fqns=["lm_head"], model_compile_enabled=True)',
    '    config.compile.enable = True',
  ]
  return [
    ...(fp8 ? ['from torchtitan.components.quantization import Float8LinearConverter'] : []),
    `from torchtitan.models.${base.module} import model_registry`,
    `from torchtitan.models.${base.module}.config_registry import ${base.config}`,
    '',
    '',
    'def plan():',
    `    config = ${base.config}()`,
    ...(fp8 ? converter : []),
    `    config.model_spec = model_registry(${model.join(', ')})`,
    // The last module has another name in main than in the release.
    ...(parts ? [`    config.parallelism.module_fqns_per_model_part = ${modules(parts)}`] : []),
    '    return config',
    '',
  ].join('\n')
}

function modules(parts: TomlValue): string {
  return JSON.stringify(parts).replaceAll('"output"', '"lm_head"')
}
