/**
 * Files of launchers that are not read, by what only they have: such a file starts a framework that is read, with settings that are
 * elsewhere or that no request can say. Read as that framework's own it would be another run, without a word.
 */

import { startsTorchtitan } from '../../../src/launch/torchtitan/read/command.ts'

interface OtherLauncher {
  readonly name: string
  /** All of them are in the text. */
  readonly marks: readonly RegExp[]
  readonly says: string
}

const learnt =
  'each of its steps generates and trains, which no workload says: give what it trains with as a command of that framework alone, and what generates as a command of its server'

const elsewhere =
  'how many GPUs there are and what engine runs it (FSDP, DeepSpeed) are said elsewhere: give that file (plan.accelerate, plan.deepspeed) with model, batch and chips beside it'

const ofChart =
  'values of a chart, whose templates add to them: give the manifest that `helm template` prints, or the command of the server'

const ofPrimus =
  'is a config of Primus, whose presets (config, model) are in other files: give the command that it starts, or its options --name value'

const inPython = 'is Python, which is not run here'

/** The text starts no server by a command, beside which a few lines of Python would be its client or its check. */
const noServer = /(?<![\s\S])(?![\s\S]*\b(vllm(\.entrypoints| serve\b)|sglang(\.launch_server| serve\b)))/

/** The text names no layout of Megatron-LM, which a program behind DeepSpeed's launcher may have. */
const noMegatron = /(?<![\s\S])(?![\s\S]*--tensor-model-parallel-size\b)/

/** The text starts no training of torchtitan. */
const noTitan = new RegExp(`(?<![\\s\\S])(?![\\s\\S]*(${startsTorchtitan.source}))`)

/** No container says its command. */
const noCommand = /(?<![\s\S])(?![\s\S]*\bcommand["']?:)/

const launchers: readonly OtherLauncher[] = [
  {
    name: 'slime',
    marks: [/--rollout-batch-size\b|--actor-num-gpus-per-node\b/],
    says: `is a job of reinforcement learning (slime): ${learnt}`,
  },
  {
    name: 'verl',
    marks: [/\bactor_rollout_ref\.\w/],
    says: `is a job of reinforcement learning (verl): ${learnt}`,
  },
  {
    name: 'OpenRLHF',
    marks: [/--actor_num_gpus_per_node\b|\bopenrlhf\.cli\.train_ppo/],
    says: `is a job of reinforcement learning (OpenRLHF): ${learnt}`,
  },
  {
    name: "MaxText's reinforcement learning",
    marks: [/^(sampler_devices_fraction|rollout_data_parallelism|rollout_micro_batch_size):/m],
    says: `is a config of MaxText's reinforcement learning: ${learnt}`,
  },
  {
    name: 'NeMo 2',
    marks: [
      /^[ \t]*(import nemo_run\b|from nemo\.collections import .*\bllm\b|from nemo\.collections\.llm\b|nemo llm (pretrain|finetune)\b)/m,
    ],
    says: `is a recipe of NeMo 2, or a command that names one: it ${inPython}, and its recipes are not read; give the command of Megatron Bridge (run_recipe.py with overrides) or the options of Megatron-LM`,
  },
  {
    name: 'NeMo-Framework-Launcher',
    marks: [
      /launcher_scripts\/main\.py|\bmegatron_amp_O2[:=]|\bmegatron_\w*(pretraining|finetuning|sft)\.py\b/m,
    ],
    says: 'is a config of NeMo 1 or of its launcher, whose keys are not read: give the options of Megatron-LM',
  },
  {
    name: 'GPT-NeoX',
    marks: [/^[ \t]*["']?pipe[-_]parallel[-_]size["']?\s*:/m],
    says: 'is a config of GPT-NeoX, whose keys are not read: give the options of Megatron-LM that say the same',
  },
  {
    name: 'axolotl',
    marks: [/^base_model:/m, /^(micro_batch_size|sequence_len|datasets|pretraining_dataset):/m],
    says: `is a config of axolotl: ${elsewhere}`,
  },
  {
    name: "Hugging Face's Trainer",
    marks: [
      /^([ \t]*#[ \t]*)?model_name_or_path:/m,
      /^(per_device_train_batch_size|finetuning_type|cutoff_len|dataset(_name|_mixer)?):/m,
    ],
    says: `is a config of Hugging Face's Trainer (LLaMA-Factory, TRL): ${elsewhere}`,
  },
  {
    name: 'ms-swift',
    marks: [/\b(megatron|swift)\s+(sft|pt|rlhf)\s+(\\\s+)?(--|\$)/],
    says: 'is a command of ms-swift, whose options have underscores and whose model is in a checkpoint: give the options of Megatron-LM that say the same (--tensor-model-parallel-size for --tensor_model_parallel_size), with the model beside them',
  },
  {
    name: 'Ray Serve',
    marks: [
      noServer,
      /\bray\.serve\.llm\b|^[ \t]*(from ray import .*\bserve\b|import ray\.serve\b|llm_configs:)/m,
    ],
    says: 'is an application of Ray Serve, which starts servers by itself: give the command of one server with its engine_kwargs as options (`vllm serve MODEL --tensor-parallel-size N`)',
  },
  {
    name: "vLLM's classes",
    marks: [noServer, /^[ \t]*(from vllm\b.* import\b|import vllm\b)/m],
    says: `calls classes of vLLM: it ${inPython}; give the command of a server with the arguments of LLM(…) as options (\`vllm serve MODEL --tensor-parallel-size N\`)`,
  },
  {
    name: "SGLang's classes",
    marks: [noServer, /^[ \t]*(from sglang\b.* import\b|import sglang\b)/m],
    says: `calls classes of SGLang: it ${inPython}; give the command of a server with the arguments of Engine(…) as options (\`python -m sglang.launch_server --model-path MODEL --tp N\`)`,
  },
  {
    name: 'accelerate launch',
    marks: [/\baccelerate(\.commands\.| )launch\b/],
    says: 'starts a program by `accelerate launch`, whose layout is in a file of its own: give that (--config_file, or what `accelerate config` wrote) as plan.accelerate, with model and batch beside it',
  },
  {
    name: "DeepSpeed's launcher",
    marks: [
      noMegatron,
      /^[^#\n]*\bdeepspeed\s+(--(num_gpus|num_nodes|hostfile|include|master_port)\b|\S+\.py\b)/m,
    ],
    says: "starts a program by DeepSpeed's launcher, whose layout is in a file of its own: give that (--deepspeed FILE.json) as plan.deepspeed, with model, batch and chips beside it",
  },
  {
    name: "torchtitan's registry",
    marks: [noTitan, /^(from|import) torchtitan\b/m, /\b(Trainer\.Config|model_registry)\(/],
    says: `has configs of torchtitan: it ${inPython}; give the command that names one (\`torchrun … -m torchtitan.train --module llama3 --config llama3_8b\`), with options for what it sets otherwise`,
  },
  {
    name: "commands of Hugging Face's trainers",
    marks: [/\b(axolotl train|llamafactory-cli train)\b/],
    says: `starts a program by a config of its own: ${elsewhere}`,
  },
  {
    name: 'torchtune',
    marks: [/_component_: *torchtune\.|^[ \t]*tune run\b/m],
    says: 'is a config of torchtune, whose components are not read: write the plan',
  },
  {
    name: 'Primus',
    marks: [/^modules:/m, /^[ \t]+overrides:[ \t]*$/m],
    says: ofPrimus,
  },
  {
    name: "Primus's scripts",
    marks: [/\bPRIMUS_PATH\b/],
    says: ofPrimus,
  },
  {
    name: 'KServe',
    marks: [/^apiVersion: *["']?serving\.kserve\.io\//m, noCommand],
    says: 'is a manifest of KServe, whose controller makes the command of it: give the command of the server (`vllm serve MODEL --tensor-parallel-size N`)',
  },
  {
    name: 'llm-d-modelservice',
    marks: [/^modelArtifacts:/m],
    says: `is a file of llm-d-modelservice: ${ofChart}`,
  },
  {
    name: 'vllm-project/recipes',
    marks: [/^meta:/m, /^[ \t]+(model_id|min_vllm_version|base_args):/m],
    says: 'is a recipe of vllm-project/recipes, whose site makes a command of it: give the command that starts the server',
  },
  {
    name: 'srt-slurm',
    marks: [/^resources:/m, /^[ \t]+["']?((prefill|decode|agg)_(nodes|workers)|gpus_per_node)["']?:/m],
    says: 'is a recipe of srt-slurm, which starts servers of it: give the command of the server of one phase',
  },
  {
    name: 'AIConfigurator',
    marks: [/^[ \t]+serving_mode: *(agg|disagg)\b/m, /^[ \t]+(system_name|worker_config|total_gpus):/m],
    says: 'is a question to AIConfigurator: give what it generates (the command, or k8s_deploy.yaml)',
  },
]

/** Why a text is not read, as a sentence behind its name; null if it is no such file. */
export function otherLauncher(text: string): string | null {
  const found = launchers.find(({ marks }) => marks.every((mark) => mark.test(text)))
  return found?.says ?? null
}
