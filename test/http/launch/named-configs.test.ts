/** Commands of torchtitan's main name a config: its model is known without the request's, and compared with it. */
import { describe, expect, it } from 'vitest'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const agent = service({ search: planning })

const command = (module: string, config: string, more = '') =>
  `torchrun --nnodes 8 --nproc-per-node 8 -m torchtitan.train --module ${module} --config ${config} ${more}`

const validated = async (torchtitan: string, model?: unknown, chip = 'b200-sxm') => {
  const question = { hardware: { chip }, plan: { torchtitan }, require: {} }
  return agent.post('/validate').send(model === undefined ? question : { ...question, model })
}

describe('a config of torchtitan', () => {
  it('brings its batch, its length and what it recomputes', async () => {
    const { body } = await validated(command('gpt_oss', 'gpt_oss_120b'), 'gpt-oss-120b')
    const { request, notes } = body.read
    expect(request.workload).toMatchObject({ sequenceLength: 8192, batchSequences: 64 })
    expect([request.plan.rematerialization, notes]).toEqual(['full', []])
  })

  it('brings a model that has experts as well', async () => {
    const { status, body } = await validated(command('qwen3', 'qwen3_30b_a3b'))
    expect([status, body.read.request.model]).toEqual([200, 'qwen3-30b-a3b'])
  })

  it('is of another model than the request says, by its dimensions and not by its name', async () => {
    const refused = async (...asked: Parameters<typeof validated>) => {
      const { body } = await validated(...asked)
      return body.errors?.map(({ detail }: { detail: string }) => detail).join('; ')
    }
    const [experts, dense] = [command('qwen3', 'qwen3_30b_a3b'), command('llama3', 'llama3_8b_mxfp8')]
    expect(await refused(dense, 'qwen3-14b')).toMatch(/qwen3-14b has layers 40; the launch file has 32/)
    expect(await refused(experts, 'qwen3-14b')).toMatch(/moe.experts none; the launch file has 128/)
    expect(await refused(experts, 'qwen3-coder-30b-a3b')).toBeUndefined()
  })

  it('that no plan is of, as its layers are of two types, is said to be that', async () => {
    const { status, body } = await validated(command('llama3', 'llama3_8b_first_85_pct_layers_nvfp4'))
    expect([status, body.errors[0].detail]).toEqual([422, expect.stringMatching(/has no plan: .* NVFP4/)])
  })

  it('that needs a younger GPU is not launched on an older one', async () => {
    const { body } = await validated(command('llama3', 'llama3_8b_mxfp8'), undefined, 'h100-sxm')
    const failed = body.checks.filter(({ ok }: { ok: boolean }) => !ok)
    expect(failed).toMatchObject([{ name: 'launchableBy', message: expect.stringMatching(/SM100/) }])
  })

  it('that is not known is refused, and where its command says all else it is doubted and not said to fit', async () => {
    const { status, body } = await validated(command('mine', 'own'), 'llama-3-8b')
    expect([status, body.errors[0].detail]).toEqual([
      422,
      expect.stringMatching(/is not known here.*say what it has/),
    ])
    const said =
      '--training.max_context_length 8192 --training.num_tokens_per_microbatch_per_dp_rank 8192 --parallelism.tensor_parallel_degree 1 --parallelism.pipeline_parallel_degree 1 --parallelism.expert_parallel_degree 1 activation-checkpoint:full'
    const whole = await validated(command('mine', 'own', said), 'llama-3-8b')
    expect(whole.body.checks.map(({ name }: { name: string }) => name)).not.toContain('fits')
    expect(whole.body.doubts).toContainEqual(expect.stringMatching(/taken for bf16/))
  })
})

describe('a command of main is launched by main', () => {
  const launched = async (torchtitan: string) => {
    const { body } = await validated(torchtitan)
    const { ok, message } = body.checks.find(({ name }: { name: string }) => name === 'launchableBy')
    return [ok, message]
  }

  it('also where its release has no such model, or no pipeline for it', async () => {
    expect(await launched(command('qwen3_5', 'qwen35_27b'))).toEqual([
      true,
      expect.stringMatching(/qwen3_5\) are on main alone, and are not written/),
    ])
    const piped = '--parallelism.pipeline_parallel_degree 4 --parallelism.num_pp_microbatches 8'
    expect(await launched(command('qwen3', 'qwen3_32b', piped))).toEqual([
      true,
      expect.stringMatching(/pipeline on main alone/),
    ])
  })

  it('and not where main refuses it too', async () => {
    const cut = command('qwen3_5', 'qwen35_27b', '--parallelism.context_parallel_degree 2')
    expect(await launched(cut)).toEqual([false, expect.stringMatching(/no context parallelism/)])
  })

  it('where a file of the release is not', async () => {
    const file = `[model]\nname = "qwen3"\nflavor = "32B"\n[parallelism]\npipeline_parallel_degree = 4\n`
    const starts = `cat > own.toml <<'EOF'\n${file}EOF\ntorchrun --nnodes 8 --nproc-per-node 8 -m torchtitan.train --job.config_file own.toml`
    expect(await launched(starts)).toEqual([
      false,
      expect.stringMatching(/release of torchtitan has no pipeline/),
    ])
  })
})

describe('the model of a file of torchtitan', () => {
  const told = async (torchtitan: string) => {
    const question = { hardware: { chip: 'b200-sxm', chips: 64 }, plan: { torchtitan } }
    const { body } = await agent.post('/evaluate').send(question)
    return body.errors?.[0].detail ?? body.read.request.model.moe?.experts ?? body.read.request.model
  }
  const flavor = (name: string, own: string) =>
    `[model]\nname = "${name}"\nflavor = "${own}"\n[activation_checkpoint]\nmode = "full"\n`

  it('is known by its config or its flavor, also with experts', async () => {
    expect(await told(command('gpt_oss', 'gpt_oss_120b'))).toBe('gpt-oss-120b')
    expect(await told(command('deepseek_v3', 'deepseek_v3_671b'))).toBe(256)
    expect(await told(command('kimi_k2_7', 'moonlight_16b_a3b'))).toBe(64)
    expect(await told(flavor('gpt_oss', '20b'))).toBe('gpt-oss-20b')
  })

  it('that is only named is asked for by that name', async () => {
    expect(await told(flavor('llama4', '17bx16e'))).toMatch(
      /^the model is llama4 17bx16e.*say it beside the plan/,
    )
  })
})
