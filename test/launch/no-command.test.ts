/** What a file lacks is told by what is in it, in words that its writer has. */
import { expect, it } from 'vitest'
import type { LaunchedPlan } from '../../api/schemas/launch.ts'
import { readerOf } from '../../api/translate/launch/file.ts'
import { planning } from '../http/planning.ts'
import { service } from '../http/service.ts'

const asked = { chips: 8, slices: 1, mode: null, model: null }
const faults = (plan: LaunchedPlan, mode: string | null = null) =>
  readerOf(plan)({ ...asked, mode }).faults.join('\n')

it('a text without a command is told that it has none', () => {
  const none = '#!/bin/bash\nTP=4\n# nothing is started\n'
  expect(faults({ megatron: none })).toMatch(/no command, where one of Megatron-LM is meant: torchrun/)
  expect(faults({ vllm: none }, 'generate')).toMatch(/no command, where one of vLLM is meant: vllm serve/)
  expect(faults({ megatron: 'srun bash /jobs/run.sh' })).toMatch(/starts \/jobs\/run\.sh, which is not here/)
  expect(faults({ megatron: '--num-layers 2 --micro-batch-size 1' })).not.toMatch(/no command/)
})

it.each([
  '"',
  "'",
])('a text with a quote (%s) that is not closed is told where it opens, without what is in it', (mark) => {
  const script = `#!/bin/bash\n# it's one of many\nexport TP=2 HF_TOKEN=${mark}hf_hushed\nvllm serve org/m -tp 2\n`
  const found = faults({ vllm: script }, 'generate')
  expect(found).toContain(`a quote (${mark}) which opens on line 3, that of HF_TOKEN, is not closed`)
  expect(found).not.toMatch(/hushed|text has no command/)
  expect(faults({ megatron: script })).toMatch(/opens on line 3/)
  const bare = faults({ vllm: `#!/bin/bash\necho ${mark}hushed\nvllm serve org/m` }, 'generate')
  expect(bare).toMatch(/which opens on line 2 is not closed/)
  expect(bare).not.toContain('hushed')
})

it('a number that a program says where it runs is told to be written', () => {
  const counted = (count: string) => faults({ vllm: `vllm serve org/m -tp ${count}` }, 'generate')
  expect(counted('$(nvidia-smi -L | wc -l)')).toMatch(
    /which a program says where it runs: write what it says/,
  )
  expect(counted('$GPUS')).toMatch(/which the text does not set/)
  expect(counted('$((GPUS+1))')).toMatch(/which the text does not set/)
  const bridge = 'uv run setup_experiment.py --model_recipe_name m --num_gpus $N model.seq_length=4096'
  expect(readerOf({ megatronBridge: bridge })({ ...asked, chips: null }).hardware).toEqual({})
})

it('a server that does not start is told so of no phase, as one command runs both', async () => {
  const { body } = await service({ search: planning })
    .post('/validate')
    .send({
      hardware: { chip: 'h100-sxm', chips: 2 },
      workload: { mode: 'serve', promptLength: 2000, outputLength: 300 },
      plan: { vllm: 'vllm serve meta-llama/Llama-3.1-70B-Instruct -tp 2 --max-model-len 131072' },
    })
  const check = body.checks.find(({ name }: { name: string }) => name === 'launchableBy')
  expect([check.ok, check.message]).toEqual([
    false,
    expect.stringMatching(/^vllm: vLLM does not start where .*: there is room for \d+ positions/),
  ])
})

it('a server that another framework starts is told by its name', () => {
  const started = 'check_env\npython3 -m sglang.launch_server --model-path org/m --tp 8'
  expect(faults({ vllm: started }, 'generate')).toMatch(/^it starts a server of SGLang, where one of vLLM/)
  expect(faults({ sglang: 'vllm serve org/m' }, 'generate')).toMatch(/^it starts a server of vLLM, where/)
})

it('options that a script gets, which has the model elsewhere, are no plan', () => {
  const handed = 'PP=1 EP=8 bash ./sbatch_benchmarking.sh --recompute-granularity full'
  expect(faults({ megatron: handed })).toMatch(/handed to \.\/sbatch_benchmarking\.sh, which is not here/)
  expect(faults({ megatron: `bash run.sh --num-layers 2 --recompute-granularity full` })).toBe('')
})

it("what only a shell fills in of TensorRT-LLM's file is no fault of its form", () => {
  const script = (sizes: string) =>
    `cat > c.yml <<EOF\ncuda_graph_config:\n  batch_sizes: [${sizes}]\nmax_batch_size: $(( N < 4 ? N : 4 ))\nEOF\ntrtllm-serve org/m --tp_size 8 --config c.yml`
  expect(faults({ tensorrtLlm: script(['$', '{SIZES}'].join('')) }, 'generate')).toBe(
    'max_batch_size is no count',
  )
})
