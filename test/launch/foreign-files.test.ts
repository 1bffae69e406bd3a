/** Files of launchers that wrap a framework: their relevant parts as published, read as what they start, or refused by what they are. */
import { describe, expect, it } from 'vitest'
import type { LaunchedPlan } from '../../api/schemas/launch.ts'
import { readerOf } from '../../api/translate/launch/file.ts'
import { launchWarnings } from '../../api/translate/launch/launch.ts'

const generate = { chips: null, slices: 1, mode: 'generate', model: null }

const read = (plan: LaunchedPlan, context: Partial<Parameters<ReturnType<typeof readerOf>>[0]> = generate) =>
  readerOf(plan)({ ...generate, ...context } as never)

/** A worker of a DynamoGraphDeployment. */
const worker = (command: string, args: string) =>
  `      extraPodSpec:\n        mainContainer:\n          image: nvcr.io/nvidia/ai-dynamo/runtime:1\n          command: ${command}\n          args: ${args}\n`

const graph = 'apiVersion: nvidia.com/v1alpha1\nkind: DynamoGraphDeployment\nspec:\n  services:\n'

/** Beside the workers: the Frontend has an image alone in one recipe, a command of its own in another. */
const frontend = `    Frontend:\n${worker('[/bin/sh, -c]', '["python3 -m dynamo.frontend --router-mode round-robin"]')}`

describe('a deployment of Dynamo', () => {
  // ai-dynamo/dynamo 0044eb9 (Apache-2.0), recipes/deepseek-r1/sglang/disagg-8gpu/deploy.yaml
  const apart = `${graph}${frontend}    decode:\n${worker(
    '[python3, -m, dynamo.sglang]',
    '[--model-path, deepseek-ai/DeepSeek-R1, --tp, "8", --dp, "8", --enable-dp-attention, --ep-size, "8", --disaggregation-mode, decode, --mem-fraction-static, "0.75"]',
  )}    prefill:\n${worker(
    '[python3, -m, dynamo.sglang]',
    '[--model-path, deepseek-ai/DeepSeek-R1, --tp, "8", --ep-size, "8", --disaggregation-mode, prefill, --mem-fraction-static, "0.75"]',
  )}`

  it('is read as the worker of the phase that is asked', () => {
    const model = {
      ...{ layers: 61, latent: true, parallelBlocks: false, maxSequenceLength: null },
      ...{ experts: true, sharedExperts: true, denseLayers: true, recurrent: false },
    }
    const alone = (mode: string, options: string) =>
      read(
        {
          sglang: `python3 -m sglang.launch_server --model-path deepseek-ai/DeepSeek-R1 --tp 8 --ep-size 8 --mem-fraction-static 0.75 ${options}`,
        },
        { mode, model },
      ).plan
    const both = ['generate', 'prefill'].map((mode) => read({ sglang: apart }, { mode, model }).plan)
    expect(both).toEqual([
      alone('generate', '--disaggregation-mode decode --dp 8 --enable-dp-attention'),
      alone('prefill', '--disaggregation-mode prefill'),
    ])
    expect(alone('generate', '--dp 8 --enable-dp-attention')).not.toEqual(alone('generate', ''))
  })

  it('with vLLM has its ranks', () => {
    // recipes/deepseek-r1/vllm/disagg/deploy_hopper_16gpu.yaml, its decode
    const text = `${graph}${frontend}    decode:\n${worker('[/bin/bash, -c]', '')}            - |\n              exec python3 -m dynamo.vllm \\\n                --model /model-cache/deepseek-r1 \\\n                --all2all-backend deepep_low_latency \\\n                --tensor-parallel-size 1 \\\n                --data-parallel-size 16 \\\n                --enable-expert-parallel \\\n                --max-num-seqs 512\n`
    const { plan, faults, named } = read({ vllm: text })
    expect([faults, named, plan.mesh]).toEqual([
      [],
      '/model-cache/deepseek-r1',
      expect.objectContaining({ expert: 16 }),
    ])
  })

  it('with TensorRT-LLM reads its file from the ConfigMap', () => {
    // a843b4d, recipes/deepseek-r1/trtllm/agg/b200/deploy.yaml
    const config = (text: string) => `apiVersion: v1\nkind: ConfigMap\ndata:\n  config.yaml: |\n${text}---\n`
    const served = `${graph}${frontend}    TrtllmWorker:\n${worker('[/bin/sh, -c]', '["python3 -m dynamo.trtllm --model-path /model-cache/deepseek-r1-fp4 --extra-engine-args /config/config.yaml"]')}`
    const lines =
      '    tensor_parallel_size: 8\n    moe_expert_parallel_size: 8\n    enable_attention_dp: true\n    max_batch_size: 8192\n    max_num_tokens: 8192\n'
    const found = read({ tensorrtLlm: config(lines) + served })
    expect([found.faults, found.plan.mesh]).toEqual([[], expect.objectContaining({ expert: 8 })])
    expect(read({ tensorrtLlm: served }).faults).toEqual([expect.stringMatching(/config\.yaml/)])
  })
})

it('a patch of a Deployment without an image is read by its command', () => {
  // llm-d/llm-d 4aef1e9 (Apache-2.0), guides/agentic-serving/modelserver/gpu/vllm/nemotron-3-ultra/patch-decode.yaml
  const text =
    'apiVersion: apps/v1\nkind: Deployment\nspec:\n  template:\n    spec:\n      initContainers:\n        - name: routing-proxy\n          image: ghcr.io/llm-d/llm-d-router-disagg-sidecar:main\n          args: [--port=8000, --vllm-port=8200]\n      containers:\n        - name: modelserver\n          command: ["vllm", "serve"]\n          args: ["RedHatAI/NVIDIA-Nemotron-3-Ultra-550B-A55B-FP8-block", "--tensor-parallel-size=8", "--enable-expert-parallel"]\n'
  expect(read({ vllm: text })).toMatchObject({
    ...{ faults: [], named: 'RedHatAI/NVIDIA-Nemotron-3-Ultra-550B-A55B-FP8-block' },
    plan: { mesh: { tensor: 8 } },
  })
})

describe('a file that starts another program', () => {
  it.each<[string, LaunchedPlan, RegExp]>([
    [
      'a recipe of vllm-project/recipes (8959cf6, models/deepseek-ai/DeepSeek-R1.yaml)',
      {
        vllm: 'meta:\n  title: DeepSeek-R1\nmodel:\n  model_id: deepseek-ai/DeepSeek-R1\nfeatures:\n  tool_calling:\n    args: [--enable-auto-tool-choice]\n',
      },
      /recipe of vllm-project\/recipes.*give the command/,
    ],
    [
      'a recipe of srt-slurm (SemiAnalysisAI/InferenceX 843c625)',
      { sglang: 'name: "disagg"\nmodel:\n  path: "deepseek-v4-pro"\nresources:\n  decode_nodes: 1\n' },
      /recipe of srt-slurm.*give the command/,
    ],
    [
      'values of a chart, keys with keys of their own',
      { sglang: 'name: "disagg"\nmodel:\n  path: "deepseek-v4-pro"\nservers:\n  decode: 1\n' },
      /no file of options.*model, servers hold keys of their own/,
    ],
    [
      'a config of Primus (fd1eeab, examples/megatron/configs/MI300X/llama3.1_8B-BF16-pretrain.yaml)',
      {
        megatron:
          'work_group: amd\nmodules:\n  pre_trainer:\n    framework: megatron\n    config: pre_trainer.yaml\n    model: llama3.1_8B.yaml\n    overrides:\n      train_iters: 50\n      micro_batch_size: 2\n',
      },
      /config of Primus, whose presets/,
    ],
  ])('%s is told what it is', (_name, plan, says) => {
    expect(() => read(plan)).toThrow(
      expect.objectContaining({ faults: [expect.objectContaining({ detail: expect.stringMatching(says) })] }),
    )
  })

  it('by the image of its container, where there is no command of the server', () => {
    // kubernetes-sigs/lws 0e2e095 (Apache-2.0), docs/examples/tensorrt-llm/lws.yaml, of Triton
    const text =
      'apiVersion: leaderworkerset.x-k8s.io/v1\nspec:\n  containers:\n    - image: triton:1\n      command: [sh, -c, "./install_model.sh; python3 ./server.py leader --pp=8 --tp=2"]\n'
    expect(read({ tensorrtLlm: text }).faults).toEqual([
      expect.stringMatching(/^the program is docker run triton:1, where one of TensorRT-LLM is meant/),
    ])
  })
})

it('options of Megatron-LM as keys of a file are read as options', () => {
  // yanring/Megatron-MoE-ModelZoo e865051, model_configs/benchmarking/Qwen3-235B-A22B.yaml, with numbers for its variables
  const said = {
    ...{
      '--tensor-model-parallel-size': 2,
      '--pipeline-model-parallel-size': 2,
      '--expert-model-parallel-size': 32,
    },
    ...{
      '--expert-tensor-parallel-size': 1,
      '--micro-batch-size': 1,
      '--global-batch-size': 1024,
      '--seq-length': 4096,
    },
    ...{ '--num-layers': 94, '--num-experts': 128 },
  }
  const lines = Object.entries(said).map(([name, value]) => `  ${name}: ${value}\n`)
  const file = `ENV_VARS:\n  NCCL_NVLS_ENABLE: 0\nMODEL_ARGS:\n${lines.join('')}  --use-distributed-optimizer: true\n  --sequence-parallel: true\n  --attention-output-gate: false\n`
  const words = Object.entries(said).flatMap(([name, value]) => [name, String(value)])
  const { plan, faults } = read({ megatron: file }, { chips: 256, mode: null })
  const command = ['pretrain_gpt.py', ...words, '--use-distributed-optimizer', '--sequence-parallel']
  expect([faults, plan]).toEqual([[], read({ megatron: command }, { chips: 256, mode: null }).plan])
  expect(plan).toMatchObject({ mesh: { tensor: 2, pipeline: 2, expert: 16 }, zeroStage: 1 })
})

describe('a job of Megatron Bridge', () => {
  // NVIDIA-NeMo/Megatron-Bridge 067f987 (Apache-2.0), examples/models/nemotron/nemotron_3/{nano/slurm_peft.sh,super/slurm_sft.sh}, a round each
  const job = (recipe: string, more: string) =>
    `#SBATCH --nodes=2\n#SBATCH --ntasks-per-node=8\nCP=1\nCMD="uv run python scripts/training/run_recipe.py"\nCMD="$CMD --recipe ${recipe}"\nsrun bash -c "$CMD model.tensor_model_parallel_size=4 model.expert_model_parallel_size=8 model.context_parallel_size=$CP train.global_batch_size=128 train.micro_batch_size=1 dataset.seq_length=2048 ${more}"\n`
  const of = (recipe: string, more = '') =>
    read({ megatronBridge: job(recipe, more) }, { chips: null, mode: null })

  it('has ranks of tensor hold whole experts, as its recipes do', () => {
    const { plan, faults, notes } = of('nemotron_3_nano_peft_config')
    expect([faults, plan.mesh]).toEqual([[], expect.objectContaining({ tensor: 4, expert: 2, data: 2 })])
    expect(notes).toContainEqual(expect.stringMatching(/hold whole experts/))
    const sliced = of('nemotron_3_nano_peft_config', 'model.expert_tensor_parallel_size=4')
    expect(sliced.faults).toEqual([
      expect.stringMatching(/-size 8 x 4 ranks that cut an expert do not divide the 16 GPUs/),
    ])
    expect(sliced.notes.join()).not.toMatch(/hold whole experts/)
  })

  it('with adapters is told to be costed as training of all weights', () => {
    const warned = launchWarnings(of('nemotron_3_nano_peft_config', '--peft_scheme lora'))
    expect(warned).toContainEqual(
      expect.stringMatching(/^megatron-bridge: --peft_scheme lora: training of all weights is costed/),
    )
  })

  it('keeps what a command would print as one word', () => {
    const printed = 'dataset.pad_seq_to_mult=$([ $CP -gt 1 ] && echo $((CP * 2)) || echo 1)'
    const { notUnderstood, ignored } = read(
      {
        megatronBridge: `srun python scripts/training/run_recipe.py --recipe nemotron_3_super_sft_config ${printed} train.micro_batch_size=1\n`,
      },
      { chips: 16, mode: null },
    )
    expect(notUnderstood).toEqual([])
    expect(ignored).toContain(printed)
  })
})
