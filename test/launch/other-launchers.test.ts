/** Files of launchers that are not read, in parts as published, are refused by what they are: on the command line, and as any launch file. */
import { describe, expect, it } from 'vitest'
import { requestDocument } from '../../api/cli/document.ts'
import { launchKey, readerOf } from '../../api/translate/launch/file.ts'
import { otherLauncher } from '../../api/translate/launch/other-launchers.ts'

const files: readonly (readonly [source: string, text: string, says: RegExp])[] = [
  [
    'THUDM/slime, scripts/run-qwen3-32B.sh, a part',
    `PERF_ARGS=(\n   --tensor-model-parallel-size 8\n   --sequence-parallel\n)\nray job submit --address="http://127.0.0.1:8265" \\\n   -- python3 train.py \\\n   --actor-num-nodes 1 \\\n   --actor-num-gpus-per-node 8 \\\n   --colocate \\\n   \${PERF_ARGS[@]}\n`,
    /reinforcement learning \(slime\)/,
  ],
  [
    'keys of verl',
    'python3 -m verl.trainer.main_ppo \\\n    actor_rollout_ref.model.path=Qwen/Qwen2.5-3B-Instruct \\\n    actor_rollout_ref.rollout.name=vllm \\\n    actor_rollout_ref.rollout.tensor_model_parallel_size=1 \\\n    trainer.nnodes=1\n',
    /reinforcement learning \(verl\)/,
  ],
  [
    'options of OpenRLHF',
    'ray job submit -- python3 -m openrlhf.cli.train_ppo_ray --actor_num_nodes 1 --actor_num_gpus_per_node 4 --vllm_num_engines 2 --vllm_tensor_parallel_size 2 --zero_stage 3 --micro_train_batch_size 4\n',
    /reinforcement learning \(OpenRLHF\)/,
  ],
  [
    'Vivicai1005/nemo_training, test/pretrain_llama3_70b.py, a part',
    'import nemo_run as run\n\nfrom nemo.collections import llm\n\nrecipe = llm.llama3_70b.pretrain_recipe(num_nodes=1, num_gpus_per_node=8)\nrecipe.trainer.strategy.tensor_model_parallel_size=2\n',
    /recipe of NeMo 2.*Python/,
  ],
  [
    'NVIDIA/NeMo-Framework-Launcher, examples/training/llama/h100/llama3_70b_bf16.sh, a part',
    `HYDRA_FULL_ERROR=1 python3 \${NEMO_MEGATRON_LAUNCHER_DIR}/launcher_scripts/main.py \\\ntraining=llama/llama3_70b \\\ntraining.trainer.num_nodes=8 \\\ntraining.model.global_batch_size=128\n`,
    /NeMo 1/,
  ],
  [
    'a command of NeMo-Run',
    'nemo llm pretrain --factory llama3_70b trainer.num_nodes=8 trainer.strategy.tensor_model_parallel_size=4\n',
    /command that names one.*Python/,
  ],
  [
    'a command of NeMo 1',
    'torchrun --nproc_per_node 4 megatron_gpt_pretraining.py \\\n trainer.devices=4 \\\n model.tensor_model_parallel_size=2 model.global_batch_size=16\n',
    /NeMo 1/,
  ],
  [
    'pytorch/torchtitan b5bcd76, torchtitan/models/llama3/config_registry.py, a part',
    'from typing import cast\n\nfrom torchtitan.config import ParallelismConfig, TrainingConfig\nfrom torchtitan.trainer import Trainer\n\ndef llama3_8b() -> Trainer.Config:\n    return Trainer.Config(model_spec=model_registry("8B"))\n',
    /configs of torchtitan.*Python.*--module llama3/,
  ],
  ['a command of axolotl', 'axolotl train examples/llama-3/fft-8b.yaml\n', /said elsewhere/],
  [
    'a command of LLaMA-Factory',
    'FORCE_TORCHRUN=1 llamafactory-cli train examples/full.yaml\n',
    /said elsewhere/,
  ],
  [
    'a command of torchtune',
    'tune run --nproc_per_node 8 full_finetune_distributed --config llama3_1/70B_full\n',
    /torchtune/,
  ],
  [
    'axolotl-ai-cloud/axolotl, examples/qwen2/adamw-pretrain-fsdp2.yaml, a part',
    'base_model: Qwen/Qwen2.5-0.5B\nmodel_type: AutoModelForCausalLM\npretraining_dataset:\n  - path: allenai/c4\nsequence_len: 2048\nmicro_batch_size: 4\nfsdp_config:\n  fsdp_version: 2\n',
    /config of axolotl.*said elsewhere/,
  ],
  [
    'keys of hiyouga/LLaMA-Factory, examples/train_full',
    '### model\nmodel_name_or_path: Qwen/Qwen3-4B-Instruct-2507\n\n### method\nstage: sft\nfinetuning_type: full\ndeepspeed: examples/deepspeed/ds_z3_config.json\ncutoff_len: 2048\nper_device_train_batch_size: 1\n',
    /Hugging Face's Trainer/,
  ],
  [
    'stas00/ml-engineering, orchestration/slurm/launchers/accelerate-launcher.slurm, a part',
    '#!/bin/bash\n#SBATCH --nodes=2\nLAUNCHER="python -u -m accelerate.commands.launch --config_file config.yaml"\n',
    /by `accelerate launch`.*plan\.accelerate/,
  ],
  [
    'a script of DeepSpeed',
    'export N=8\ndeepspeed --num_gpus $N train.py --deepspeed ds_config.json\n',
    /DeepSpeed's launcher.*plan\.deepspeed/,
  ],
  [
    'AI-Hypercomputer/maxtext, src/maxtext/configs/post_train/rl.yml, a part',
    'base_config: "base.yml"\nsampler_devices_fraction: 0.5\nrollout_data_parallelism: -1\n',
    /MaxText's reinforcement learning/,
  ],
  [
    'keys of EleutherAI/gpt-neox',
    '{\n  "pipe_parallel_size": 4,\n  "model_parallel_size": 2,\n  "num_layers": 44,\n  "zero_optimization": {"stage": 1},\n  "train_micro_batch_size_per_gpu": 4\n}\n',
    /GPT-NeoX/,
  ],
  [
    'keys of pytorch/torchtune',
    'model:\n  _component_: torchtune.models.llama3_1.llama3_1_70b\nbatch_size: 2\n',
    /torchtune/,
  ],
  [
    'keys of llm-d-incubation/llm-d-modelservice',
    'modelArtifacts:\n  uri: "hf://meta-llama/Llama-3.1-70B"\ndecode:\n  parallelism:\n    tensor: 4\n  containers:\n  - name: vllm\n    modelCommand: vllmServe\n    args: ["--max-model-len", "32000"]\n',
    /llm-d-modelservice.*helm template/,
  ],
  [
    'ai-dynamo/aiconfigurator, src/aiconfigurator/cli/example.yaml, a part',
    'agg_minimal:\n  serving_mode: agg\n  model_path: deepseek-ai/DeepSeek-V3\n  system_name: h200_sxm\n  total_gpus: 8\n',
    /question to AIConfigurator/,
  ],
  [
    'options of modelscope/ms-swift, Quick start of Megatron-SWIFT',
    "PYTORCH_CUDA_ALLOC_CONF='expandable_segments:True' NPROC_PER_NODE=2 megatron sft --model Qwen/Qwen2.5-7B-Instruct --tensor_model_parallel_size 2 --micro_batch_size 16\n",
    /command of ms-swift.*Megatron-LM/,
  ],
  [
    'docs.ray.io, quick start of Ray Serve LLM, a part',
    'from ray import serve\nfrom ray.serve.llm import LLMConfig, build_openai_app\n\nllm_config = LLMConfig(\n    engine_kwargs=dict(tensor_parallel_size=2),\n)\n',
    /Ray Serve.*engine_kwargs as options/,
  ],
  [
    'a config of Ray Serve LLM',
    'applications:\n- name: llm\n  import_path: ray.serve.llm:build_openai_app\n  args:\n    llm_configs:\n    - engine_kwargs: {tensor_parallel_size: 2}\n',
    /Ray Serve.*engine_kwargs as options/,
  ],
  [
    "a program of vLLM's classes",
    'from vllm import LLM, SamplingParams\n\nllm = LLM(model="facebook/opt-125m", tensor_parallel_size=2)\n',
    /classes of vLLM.*Python.*vllm serve/,
  ],
  [
    "a program of SGLang's classes",
    'import sglang as sgl\n\nllm = sgl.Engine(model_path="Qwen/Qwen3-8B", tp_size=2)\n',
    /classes of SGLang.*Python.*launch_server/,
  ],
]

describe('a file of a launcher that is not read', () => {
  it.each(files)('%s', (_source, text, says) => {
    expect(otherLauncher(text)).toMatch(says)
    for (const key of ['megatron', 'vllm', 'deepspeed'] as const) {
      const plan = { [key]: text }
      expect(launchKey(plan)).toBe(key)
      expect(() => readerOf(plan)({ chips: 8, slices: 1, mode: null, model: null })).toThrow(says)
    }
  })

  it('is told of where it stands in place of a request', () => {
    for (const [source, text, says] of files) {
      expect(() => requestDocument(text, 'file.yaml'), source).toThrow(says)
    }
  })
})

it('a script that names no program of a framework is told to be one', () => {
  // stas00/ml-engineering, orchestration/slurm/launchers/torchrun-launcher.slurm, a part
  const text =
    '#!/bin/bash\n#SBATCH --nodes=2\nset -eo pipefail\nGPUS_PER_NODE=8\nPROGRAM="torch-distributed-gpu-test.py"\nsrun python -m torch.distributed.run --nproc_per_node $GPUS_PER_NODE $PROGRAM\n'
  expect(() => requestDocument(text, 'run.slurm')).toThrow(/is a script in which no program/)
})

it('a client in Python beside the command of its server is no program of its own', () => {
  expect(
    otherLauncher("vllm serve M --tensor-parallel-size 2 &\npython - <<'E'\nimport vllm\nE\n"),
  ).toBeNull()
})

it('a program in Python is told that it is not run, and a command of an unknown program that it is a script', () => {
  expect(() => requestDocument('import torch\n\ntorch.compile\n', 'a.py')).toThrow(/program in Python/)
  expect(() => requestDocument('mytrain --tp 8', 'a.sh')).toThrow(/is a script in which no program/)
})

describe('a command of a fork of Megatron-LM', () => {
  const read = (options: string) =>
    readerOf({
      megatron: `torchrun --nnodes 12 --nproc-per-node 8 pretrain_gpt.py --num-layers 70 --hidden-size 14336 --num-attention-heads 112 --tensor-model-parallel-size 4 --pipeline-model-parallel-size 12 --seq-length 2048 --micro-batch-size 2 --global-batch-size 2048 --bf16 ${options}`,
    })({ chips: null, slices: 1, mode: null, model: null })

  it('of DeepSpeed has stages as it counts layers, and the first stage of ZeRO', () => {
    // bigscience-workshop/bigscience, train/tr11-176B-ml/tr11-176B-ml.slurm
    const { plan, faults } = read(
      `--deepspeed --zero-stage 1 --pp-partition-method 'type:transformer|embedding'`,
    )
    expect(faults).toEqual([])
    expect(plan).toMatchObject({ zeroStage: 1, stageLayers: [5, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 5] })
    expect(read('').faults).toContainEqual(expect.stringContaining('12 stages do not divide the 70 layers'))
    expect(read('--zero-stage 3').faults).toContainEqual(
      expect.stringContaining('--zero-stage 3 of Megatron'),
    )
  })

  it('that has no decoder alone is refused', () => {
    // NVIDIA/Megatron-LM, examples/bert/train_bert_340m_distributed.sh, a part
    const bert = readerOf({
      megatron:
        'torchrun --nnodes 1 --nproc-per-node 8 pretrain_bert.py --num-layers 24 --hidden-size 1024 --num-attention-heads 16 --seq-length 512 --micro-batch-size 4 --global-batch-size 32',
    })({ chips: null, slices: 1, mode: null, model: null })
    expect(bert.faults).toContain('pretrain_bert.py trains no decoder, which is what is counted')
  })

  it('that trains on images is refused, as its sequences are counted otherwise', () => {
    const { faults } = read('--img-h 336 --language-model-type mistral_7b')
    expect(faults).toContainEqual(expect.stringContaining('models of images and text are not counted'))
  })
})

describe('a file of MaxText', () => {
  const read = (text: string, mode: string | null = null) =>
    readerOf({ maxtext: text })({ chips: null, slices: 1, mode, model: null })

  // AI-Hypercomputer/maxtext, tests/end_to_end/tpu/llama2/70b/2_test_llama2_70b.sh, a part
  const decodes =
    'python3 -m maxtext.inference.decode base.yml per_device_batch_size=1 max_prefill_predict_length=4 max_target_length=16 model_name=llama2-70b\n'
  const checks =
    'python3 -m tests.utils.forward_pass_logit_checker base.yml per_device_batch_size=1 ici_tensor_parallelism=4 max_target_length=4 dtype=float32 model_name=llama2-70b\n'

  it('that also decodes and compares is read as what it trains', () => {
    const trains =
      'python3 -m maxtext.trainers.pre_train.train base.yml per_device_batch_size=2 max_target_length=4096 model_name=llama2-70b\n'
    const { workload, precision } = read(decodes + trains + decodes + checks)
    expect(workload).toMatchObject({ mode: 'train', sequenceLength: 4096 })
    expect(precision).toMatchObject({ compute: 'bf16' })
    expect(() => read(decodes + checks)).toThrow(/starts no training/)
    expect(read(decodes + checks, 'generate').workload).toMatchObject({ contextLength: 16 })
  })

  it('of its engine does not take a single chip where it says no number', () => {
    // src/maxtext/configs/tpu/v5e/llama3_405b_v5e-64.yml, a part
    const text =
      'base_config: "inference/inference_jetstream.yml"\nmodel_name: "llama3.1-405b"\nlogical_axis_rules: [[embed, []], [vocab, [tensor, autoregressive]]]\n'
    const { faults, notes } = read(text, 'generate')
    expect(faults).toEqual([expect.stringContaining('how many chips there are')])
    expect(notes.join()).toMatch(/what inference\/inference_jetstream\.yml sets itself.*logical_axis_rules/)
    expect(read(`${text}ici_tensor_parallelism: 8\n`, 'generate').hardware).toEqual({ chips: 8 })
  })
})
