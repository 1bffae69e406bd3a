/** A file of options that is not sent with the command that reads it is a fault, whichever server it is of. */
import { expect, it } from 'vitest'
import type { LaunchedPlan } from '../../../api/schemas/launch.ts'
import { readerOf } from '../../../api/translate/launch/file.ts'

const faults = (plan: Record<string, string>) =>
  readerOf(plan as unknown as LaunchedPlan)({ chips: 8, slices: 1, mode: 'generate', model: null }).faults

const commands = {
  vllm: 'vllm serve meta-llama/Llama-3.1-8B-Instruct',
  sglang: 'python3 -m sglang.launch_server --model-path meta-llama/Llama-3.1-8B-Instruct',
  tensorrtLlm: 'trtllm-serve meta-llama/Llama-3.1-8B-Instruct',
}

it.each(Object.entries(commands))('%s', (key, command) => {
  const text = `${command} --config options.yaml`
  expect(faults({ [key]: text })).toEqual([
    expect.stringMatching(/options are in options\.yaml, which is not here/),
  ])
  const file = key === 'tensorrtLlm' ? 'tensor_parallel_size: 2' : 'tensor-parallel-size: 2'
  expect(faults({ [key]: `cat > options.yaml <<'EOF'\n${file}\nEOF\n${text}` })).toEqual([])
})

it.each([
  [8, 8, 8, 1],
  [8, 4, 4, 1],
  [16, 4, 4, 0],
  [8, 8, 1, 0],
])('TensorRT-LLM divides %i ranks into %i parts of experts and %i groups of them: %i faults', (ranks, slices, experts, count) => {
  const file = `tensor_parallel_size: ${ranks}\nmoe_tensor_parallel_size: ${slices}\nmoe_expert_parallel_size: ${experts}\n`
  const said = faults({ tensorrtLlm: file }).filter((one) => /^moe_tensor_parallel_size/.test(one))
  expect(said).toHaveLength(count)
})
