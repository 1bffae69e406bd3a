import { describe, expect, it } from 'vitest'
import { readerOf } from '../../api/translate/launch/file.ts'
import { misspeltIn } from '../../api/translate/launch/misspelt.ts'

const asked = { chips: null, slices: 1, mode: 'train', model: null }

/** As published recipes start it: a command that a variable carries, with words of the script behind it. */
const script = (options: string) => `worker_command=$(cat <<- EOM
  cd /opt/Megatron-Bridge ;
  numactl --cpunodebind=\\$((LOCAL_RANK/2)) nsys profile -t nvtx,cuda -o "/logs/rank-\\$RANK" \\
  nice -10 \\
  python scripts/performance/run_script.py \\
    --gpu gb200 --model_family_name f --num_gpus 256 --gpus_per_node 4 --max_steps 50 \\
    ${options}

EOM
)
echo "$worker_command" > worker_command.sh
chmod 777 worker_command.sh
torchrun --nproc-per-node="4" --nnodes="64" --no-python bash worker_command.sh
mkdir -p logs
`

const read = (options: string, layers?: number) =>
  readerOf({ megatronBridge: script(options) })({
    ...asked,
    ...(layers === undefined ? {} : { model: { layers } as never }),
  })

const sizes = '--seq_length 4096 --global_batch_size 1024 --micro_batch_size 1'

describe('a performance script of Megatron Bridge', () => {
  it('is read alone, without the words of the script around it', () => {
    const reading = read(`--model_recipe_name llama3_8b ${sizes} --tensor_model_parallel_size 2`)
    expect(reading).toMatchObject({
      hardware: { chips: 256 },
      plan: { mesh: { tensor: 2, data: 128 } },
      faults: [],
      notUnderstood: [],
      misnamed: [],
    })
    // It turns sequence parallelism on with tensor parallelism.
    expect(reading.notes.join()).not.toContain('--sequence-parallel')
  })

  it.each([
    'nano-30b-a3b',
    'super-120b-a12b',
    'ultra-550b-a55b',
  ])('names nemotron-3-%s without its size, and has options on which no plan depends', (name) => {
    const [own = ''] = name.split('-')
    const idle =
      '--offline --gres gpu:4 -cm /a:/b --golden_values_path g.json dist.distributed_timeout_minutes=90'
    const reading = read(
      `--model_recipe_name nemotron_3_${own} ${sizes} --tensor_model_parallel_size 2 ${idle} --hidden_size 4096`,
    )
    expect(reading.named).toBe(`nemotron-3-${name}`)
    expect(reading.notUnderstood).toEqual(['--hidden_size 4096'])
  })

  it('of an older release is told the model and its size, in either order', () => {
    const [before, behind] = [
      '--model_size 8b --model_name llama3',
      '--model_name llama3 --model_size 8b',
    ].map((named) => read(`${named} ${sizes} --tensor_model_parallel_size 2`))
    expect(before).toEqual(behind)
    expect(before).toEqual(read(`--model_name llama3_8b ${sizes} --tensor_model_parallel_size 2`))
    expect(read(`--model_name llama3_8b --data mock ${sizes} --data_parallel 2`).notUnderstood).toEqual([
      '--data_parallel 2',
    ])
  })

  it('shards everything where it is told Megatron-FSDP, and not where it is told false', () => {
    const stage = (value: string) => {
      const reading = read(`--model_recipe_name llama3_8b ${sizes} --use_megatron_fsdp ${value}`)
      expect([misspeltIn(reading), reading.notUnderstood]).toEqual([[], []])
      return reading.plan.zeroStage
    }
    expect(['true', 'True', 'y', 'False', '0'].map(stage)).toEqual([3, 3, 3, 1, 1])
  })

  it('multiplies in the type that it names, and is refused one that there is none of', () => {
    const typed = (name: string) => read(`--model_recipe_name llama3_8b ${sizes} --compute_dtype ${name}`)
    const computed = ['bf16', 'fp8_cs', 'fp8_mx', 'fp8_sc', 'nvfp4'].map(
      (name) => typed(name).precision.compute,
    )
    expect(computed).toEqual(['bf16', 'fp8', 'fp8', 'fp8', 'nvfp4'])
    expect(typed('nonsense').misnamed).toMatchObject([{ option: '--compute_dtype', value: 'nonsense' }])
    expect(typed('bf16').assumptions.masterRemainders).toBe(true)
    // Its recipes reduce gradients in bf16, unless a field says otherwise.
    expect(typed('fp8_mx').precision.gradients).toBe('bf16')
    expect(typed('fp8_mx ddp.grad_reduce_in_fp32=true').precision.gradients).toBe('fp32')
    expect(typed('fp8_cs').assumptions.masterRemainders).toBeUndefined()
    expect(read(`--model_recipe_name llama3_8b ${sizes} --use_megatron_fsdp maybe`).misnamed).toHaveLength(1)
  })

  it('cuts its layers as its recipe does, or as is chosen where that is not known', () => {
    const stages = (recipe: string, layers: number, pipeline: number, virtual: string | number = 'None') => {
      const parts = `--pipeline_model_parallel_size ${pipeline} --virtual_pipeline_model_parallel_size ${virtual}`
      const { plan, faults, notes } = read(`--model_recipe_name ${recipe} ${sizes} ${parts}`, layers)
      expect(faults).toEqual([])
      return [plan.stageLayers, plan.virtualStages, notes.join().includes('do not divide')]
    }
    const times = (count: number, layers: number) => Array.from({ length: count }, () => layers)
    expect(stages('deepseek_v3', 61, 16)).toEqual([[...times(15, 4), 1], 1, false])
    expect(stages('deepseek_v3', 61, 4, 4)).toEqual([[16, 16, 16, 13], 4, false])
    expect(stages('kimi_k2', 61, 2, 8)).toEqual([[32, 29], 8, false])
    expect(stages('qwen3_235b_a22b', 94, 8, 4)).toEqual([[11, ...times(6, 12), 11], 4, false])
    expect(stages('llama31_405b', 126, 8, 4)).toEqual([[15, ...times(6, 16), 15], 4, false])
    expect(stages('deepseek_v3', 61, 2, 8)).toEqual([undefined, 8, true])
    expect(stages('somebody_elses', 61, 16)).toEqual([undefined, 1, true])
  })

  it('is refused stages that do not divide the layers where its recipe is known to cut them evenly', () => {
    const parts = '--pipeline_model_parallel_size 8'
    expect(read(`--model_recipe_name llama3_8b ${sizes} ${parts}`, 31).faults.join()).toContain(
      'do not divide',
    )
  })

  it('takes a layout beside the number of virtual stages, and says what is not counted', () => {
    const laid = `--pipeline_model_parallel_size 2 --virtual_pipeline_model_parallel_size 8 --pipeline_model_parallel_layout 'Et*4|(t*4|)*14tmL'`
    const { plan, faults, notes } = read(
      `--model_recipe_name deepseek_v3 ${sizes} ${laid} --recompute_modules mla_up_proj --activation_offload_layers 9`,
      61,
    )
    expect([plan.stageLayers, plan.rematerialization, faults]).toEqual([[32, 29], 'mla_up_proj', []])
    expect(notes).toContain('--activation_offload_layers 9 is not counted')
  })

  it('that leaves its whole layout to the recipe is told so', () => {
    expect(read('--model_recipe_name deepseek_v3').faults.join()).toContain('which are not here: say')
  })
})
