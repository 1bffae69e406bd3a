/** A plan gives its step time under each framework that can launch it. */
import { describe, expect, it } from 'vitest'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const on = (chips: number) => ({ chip: 'h100-sxm', chips })
const train = { mode: 'train', batchTokens: 2_097_152, sequenceLength: 8192 }

const questions = {
  'dense training': {
    ...{ model: 'llama-3-8b', hardware: on(64), workload: train },
    plan: { mesh: { fsdp: 64 }, zeroStage: 3, microbatches: 1, rematerialization: 'full' },
  },
  'training of experts': {
    ...{ model: 'mixtral-8x7b', hardware: on(64), workload: train },
    assumptions: { expertRecipe: 'flex', stepOverheadSeconds: 0.01 },
    plan: { mesh: { data: 8, expert: 8 }, zeroStage: 1, microbatches: 4 },
  },
  prefill: {
    ...{ model: 'llama-3-70b', hardware: on(8) },
    workload: { mode: 'prefill', batchSequences: 4, promptLength: 4096 },
    plan: { mesh: { tensor: 8 } },
  },
  generation: {
    ...{ model: 'llama-3-70b', hardware: on(8) },
    workload: { mode: 'generate', batchSequences: 64, contextLength: 4096 },
    plan: { mesh: { tensor: 8 } },
  },
}

async function evaluated(body: object) {
  const { status, body: answer } = await service({ search: planning }).post('/evaluate').send(body)
  expect(status, JSON.stringify(answer)).toBe(200)
  return answer.plan
}

describe.each(Object.entries(questions))('%s', (_, question) => {
  it('takes as long as where the request names the framework as its stack', async () => {
    const { launch } = await evaluated(question)
    const times = Object.entries(launch.stepTimeSeconds)
    expect(times.map(([name]) => name).sort()).toEqual(
      Object.keys(launch)
        .filter((name) => name in launch.commands)
        .sort(),
    )
    const { expertRecipe: _, ...assumptions }: { expertRecipe?: string } =
      'assumptions' in question ? question.assumptions : {}
    for (const [name, seconds] of times) {
      const named = name === 'megatron' && 'assumptions' in question ? question.assumptions : assumptions
      const plan = await evaluated({ ...question, assumptions: { ...named, stack: name } })
      expect(plan.stepTimeSeconds, name).toBe(seconds)
      expect(new Set(Object.values(plan.launch.stepTimeSeconds))).toEqual(new Set([seconds]))
    }
  })
})

it('tells frameworks apart where their stacks differ', async () => {
  const training = await evaluated(questions['dense training'])
  expect(training.launch.stepTimeSeconds.megatron).toBe(training.stepTimeSeconds)
  expect(training.launch.stepTimeSeconds.torchtitan).not.toBe(training.stepTimeSeconds)
  const { launch } = await evaluated(questions.generation)
  expect(new Set(Object.values(launch.stepTimeSeconds)).size).toBe(3)
})

it("a server's command takes the time that its plan said for it, in as many pieces as the plan has", async () => {
  const prefill = { mode: 'prefill', batchSequences: 96, promptLength: 4096 }
  const own = { hardware: { chip: 'h20-sxm', chips: 96 }, workload: prefill }
  const mesh = { data: 12, tensor: 4, pipeline: 2 }
  const { launch } = await evaluated({ ...own, model: 'glm-4.5', plan: { mesh } })
  const { vllm, sglang, 'tensorrt-llm': tensorrt } = launch.commands
  const files = {
    vllm: { vllm: vllm.command },
    sglang: { sglang: sglang.command },
    'tensorrt-llm': { tensorrtLlm: { command: tensorrt.command, config: tensorrt.files[0].text } },
  }
  for (const [name, plan] of Object.entries(files)) {
    const read = await evaluated({ ...own, plan })
    expect(read, name).toMatchObject({ mesh, batchSequences: 96 })
    expect(read.stepTimeSeconds, name).toBeCloseTo(launch.stepTimeSeconds[name], 9)
  }
})

it('is that of each framework, whichever are asked for', async () => {
  const alone = { ...questions['dense training'], assumptions: { frameworks: ['torchtitan'] } }
  const [all, own] = [await evaluated(questions['dense training']), await evaluated(alone)]
  expect(own.launch.stepTimeSeconds).toEqual(all.launch.stepTimeSeconds)
})

const sequences = (batchSequences: number, sequenceLength: number) => ({
  ...{ mode: 'train', batchSequences, sequenceLength },
})

it.each([
  ['policies of its own', 'torchtitan', 'llama-3-70b', { chip: 'b200-sxm', chips: 8 }, sequences(256, 4096)],
  ['sliced experts', 'maxtext', 'qwen3-30b-a3b', { chip: 'h200-sxm', chips: 64 }, sequences(64, 4096)],
  ['no further layers', 'torchtitan', 'glm-4.5-air', on(32), sequences(256, 2048)],
])('is that of its command where a plan was found for another: with %s', async (_, name, model, hardware, workload) => {
  const asked = { model, hardware, workload, top: 1, assumptions: { frameworks: [name] } }
  const { status, body } = await service({ search: planning }).post('/optimize').send(asked)
  expect(status).toBe(200)
  const [plan] = body.plans
  const seconds = plan.launch.stepTimeSeconds.megatron
  expect(seconds).not.toBe(plan.stepTimeSeconds)
  const { command } = plan.launch.commands.megatron
  const read = await evaluated({ model, hardware, plan: { megatron: command } })
  expect(read.stepTimeSeconds).toBeCloseTo(seconds, 9)
  const pasted = { model, hardware, workload, assumptions: asked.assumptions, plan }
  const again = await evaluated(pasted)
  expect(again.launch.stepTimeSeconds).toEqual(plan.launch.stepTimeSeconds)
})
