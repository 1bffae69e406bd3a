/** Launch files in place of plans, over HTTP: they are costed as the plans that they describe, and faults point to the right place. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { changed } from '../../../api/hints/change.ts'
import { evaluationReport } from '../../../api/report/evaluation.ts'
import { runs } from '../../runs.ts'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const agent = service({ search: planning })

const question = {
  model: 'llama-3-8b',
  hardware: { chip: 'h100-sxm', chips: 16 },
  workload: { mode: 'train', batchTokens: 524_288, sequenceLength: 8192 },
  constraints: { context: 1, tensor2: 1 },
}

const dimensions =
  '--num-layers 32 --hidden-size 4096 --ffn-hidden-size 14336 --num-attention-heads 32 --group-query-attention --num-query-groups 8 --swiglu --untie-embeddings-and-output-weights --position-embedding-type rope'
const batch =
  '--seq-length 8192 --max-position-embeddings 8192 --micro-batch-size 1 --global-batch-size 64 --bf16'
const line = `torchrun --nproc-per-node 8 --nnodes 2 pretrain_gpt.py ${dimensions} ${batch} --tensor-model-parallel-size 2 --sequence-parallel`

async function evaluated(body: object, status = 200) {
  const response = await agent.post('/evaluate').send(body)
  expect(response.status, response.text.slice(0, 400)).toBe(status)
  return response.body
}

/** The request that a launch file was read into, with changes that point into the answer. */
function sentAsRead(answer: object, changes: Parameters<typeof changed>[1]): object {
  return (changed(answer, changes) as { readonly read: { readonly request: object } }).read.request
}

const pointersOf = ({ errors }: { readonly errors: readonly { readonly pointer: string }[] }) =>
  errors.map(({ pointer }) => pointer)

describe.each(['megatron', 'torchtitan'])('what launches %s, as a plan', (framework) => {
  it('is costed as the plan that it was written of', async () => {
    const assumptions = { basis: 'calibrated', frameworks: [framework] }
    const { plans } = (await agent.post('/optimize').send({ ...question, assumptions, top: 6 })).body
    expect(plans.length).toBeGreaterThan(3)
    for (const plan of plans) {
      const { model, hardware } = question
      const launched = { [framework]: plan.launch[framework] }
      const again = await evaluated({ model, hardware, assumptions, plan: launched })
      const figures = [
        ...['summary', 'mesh', 'stepTimeSeconds', 'memoryBytes', 'stageLayers', 'rematerialization'],
      ]
      for (const name of figures) expect(again.plan[name], `${plan.summary}: ${name}`).toEqual(plan[name])
      // A file names the stack of its framework, with which the times of others are then, too, and what they are told to hide.
      const { stepTimeSeconds, ...launch } = again.plan.launch
      const { stepTimeSeconds: listed, ...written } = plan.launch
      const own = ({ commands, notes, ...launches }: typeof launch) => [
        ...[launches[framework], commands[framework], notes],
        ...Object.entries(launches).map(([name, flags]) => [
          name,
          Object.hasOwn(Object(flags), 'unsupported'),
        ]),
      ]
      expect(own(launch)).toEqual(own(written))
      expect(stepTimeSeconds[framework]).toBe(listed[framework])
      expect(listed[framework]).toBe(plan.stepTimeSeconds)
      expect(again.read).toMatchObject({ framework, notUnderstood: [], notes: [] })
    }
  })
})

it('in NVFP4 is launched by Megatron-LM and its Bridge, and read as it was written', async () => {
  const asked = {
    ...{ model: 'llama-3-8b', hardware: { chip: 'gb200-nvl72', chips: 16 }, workload: question.workload },
    precision: { compute: 'nvfp4' },
  }
  const { plans, warnings } = (await agent.post('/optimize').send({ ...asked, top: 1 })).body
  const [{ launch, summary, stepTimeSeconds }] = plans
  expect(warnings.join()).not.toMatch(/can launch/)
  expect(launch.megatron.join(' ')).toContain('--bf16 --fp4-format e2m1 --fp4-recipe nvfp4 ')
  expect(launch.commands['megatron-bridge'].command).toContain(' mixed_precision=bf16_with_nvfp4_mixed ')
  for (const plan of [
    { megatron: launch.commands.megatron.command },
    { megatronBridge: launch.commands['megatron-bridge'].command },
  ]) {
    const { precision: _, ...rest } = asked
    const { plan: again, read } = await evaluated({ ...rest, plan })
    expect(again).toMatchObject({ summary, stepTimeSeconds })
    expect(read.notUnderstood).toEqual([])
  }
  const amd = { ...asked, hardware: { chip: 'mi355x', chips: 16 }, precision: { compute: 'fp4' }, top: 1 }
  const { body } = await agent.post('/optimize').send(amd)
  expect(body.plans[0].launch.megatron.unsupported.join()).toMatch(/NVFP4 on GPUs of NVIDIA/)
})

describe('a batch that replicas do not divide', () => {
  it.each([
    ['megatron', { batchSequences: 65 }],
    ['torchtitan', { batchTokens: 65 * 8192 }],
  ])('is launched by %s rounded up, and that is what was asked for', async (framework, batch) => {
    const workload = { mode: 'train', sequenceLength: 8192, ...batch }
    const assumptions = { basis: 'calibrated', frameworks: [framework] }
    const constraints = { ...question.constraints, pipeline: 1, tensor: 1, chips: 16 }
    const asked = { ...question, workload, assumptions, constraints }
    const { plans } = (await agent.post('/optimize').send(asked)).body
    expect(plans[0].launch.notes.join()).toMatch(/rounded up/)
    const plan = { [framework]: plans[0].launch[framework] }
    const again = await evaluated({ ...asked, plan })
    expect(again.plan.stepTimeSeconds).toBe(plans[0].stepTimeSeconds)
    expect(again.plan.globalBatchSequences).toBe(80)
    const other = { mode: 'train', sequenceLength: 8192, batchSequences: 97 }
    const refused = await evaluated({ ...asked, workload: other, plan }, 422)
    expect(pointersOf(refused)).toEqual(['/workload/batchSequences'])
  })
})

describe('a batch that microbatches do not divide', () => {
  const layouts = fc.record({
    framework: fc.constantFrom('megatron', 'torchtitan', 'maxtext'),
    batchSequences: fc.integer({ min: 96, max: 300 }),
    microbatches: fc.integer({ min: 1, max: 6 }),
    tensor: fc.constantFrom(1, 2),
  })

  it('is launched rounded up, is so said, and read beside the request that it was made for', async () => {
    let rounded = 0
    const check = fc.asyncProperty(layouts, async ({ framework, batchSequences, microbatches, tensor }) => {
      const replicas = 16 / tensor
      const asked = {
        ...question,
        workload: { mode: 'train', sequenceLength: 8192, batchSequences },
        assumptions: { basis: 'calibrated', frameworks: [framework], stack: 'none' },
      }
      const mesh = framework === 'megatron' ? { data: replicas, tensor } : { fsdp: replicas, tensor }
      const { plan } = await evaluated({ ...asked, plan: { mesh, microbatches } })
      const { globalBatchSequences, launch } = plan
      expect(globalBatchSequences % (replicas * microbatches)).toBe(0)
      expect(globalBatchSequences - batchSequences).toBeGreaterThanOrEqual(0)
      expect(globalBatchSequences - batchSequences).toBeLessThan(replicas * microbatches)
      const launched = launch.commands?.[framework]?.command
      if (launched === undefined) return
      rounded++
      const again = await evaluated({ ...asked, plan: { [framework]: launch[framework] } })
      const { stepTimeSeconds, mfu } = plan
      expect(again.plan, launched).toMatchObject({ globalBatchSequences, stepTimeSeconds, mfu })
      // Without the request's own batch it is all of it that is asked for.
      const { batchSequences: _asked, ...rest } = asked.workload
      const alone = await evaluated({ ...asked, workload: rest, plan: { [framework]: launch[framework] } })
      expect(alone.plan).toMatchObject({ globalBatchSequences, stepTimeSeconds, paddingFraction: 0 })
      expect(launch.notes.join().includes('rounded up')).toBe(globalBatchSequences > batchSequences)
    })
    await fc.assert(check, { numRuns: runs(6) })
    expect(rounded).toBeGreaterThan(2)
  })
})

it('a config of torchtitan without chips lacks these alone', async () => {
  const { model, workload } = question
  const hardware = { chip: 'h100-sxm' }
  const refused = await evaluated(
    { model, workload, hardware, plan: { torchtitan: '[training]\nseq_len = 8192\n' } },
    422,
  )
  expect(refused.errors).toEqual([
    {
      pointer: '/plan/torchtitan',
      detail: 'how many GPUs there are is said by hardware.chips alone (--chips on the command line)',
    },
  ])
})

describe('a command of Megatron-LM that hides nothing', () => {
  const hardware = { chip: 'h100-sxm' }
  const overlaps =
    '--use-distributed-optimizer --tp-comm-overlap --overlap-grad-reduce --overlap-param-gather'
  /** What is gathered early goes only with what is reduced early. */
  const apart = [['--tp-comm-overlap'], ['--overlap-grad-reduce', '--overlap-param-gather']]
  const costed = async (flags: string, more: object = {}) => {
    const megatron = `CUDA_DEVICE_MAX_CONNECTIONS=1 ${line} --vocab-size 128256 ${flags}`
    const body = { hardware, plan: { megatron }, ...more }
    const { plan, read, warnings } = await evaluated(body)
    return { seconds: plan.stepTimeSeconds, notes: read.notes as readonly string[], warnings, read }
  }

  it('is costed so, and says which flags it lacks', async () => {
    const hidden = await costed(overlaps)
    expect(hidden.notes).toEqual([])
    for (const flags of apart) {
      const lacking = await costed(overlaps.replace(flags.join(' '), ''))
      const without = `without ${flags.join(' and ')}`
      expect(lacking.notes).toEqual([expect.stringContaining(`${without}: costed as if`)])
      expect(lacking.warnings.join()).toContain(without)
      expect(lacking.seconds).toBeGreaterThan(hidden.seconds * 1.001)
    }
    const gathered = await costed(overlaps.replace('--overlap-param-gather', ''))
    expect(gathered.notes).toEqual([expect.stringContaining('without --overlap-param-gather: costed with')])
    expect(gathered.seconds).toBe(hidden.seconds)
  })

  it('is costed with the whole residual stream on each tensor rank where it does not divide it', async () => {
    const alone = overlaps.replace('--tp-comm-overlap ', '')
    const megatron = `${line} --vocab-size 128256 ${alone}`
    const own = { hardware, memoryBudget: { bytesPerChip: 80e9 } }
    const divided = await evaluated({ ...own, plan: { megatron } })
    const body = { ...own, plan: { megatron: megatron.replace('--sequence-parallel', '') } }
    const whole = await evaluated(body)
    expect(whole.plan.costedWith).toEqual({ residual: 'whole', overlapCriticalPath: 0.5, userBuffers: false })
    expect(whole.read.notes.join()).toContain('without --sequence-parallel: costed as if')
    const { activations } = divided.plan.memoryBytes
    expect(whole.plan.memoryBytes.activations).toBeGreaterThan(1.2 * activations)
    expect(whole.warnings.join()).toContain(
      'with --sequence-parallel and --tp-comm-overlap the same plan takes',
    )
    // What the request assumes is assumed of the file too.
    const assumptions = { residual: 'sequence' }
    const stated = await evaluated({ ...body, assumptions })
    expect(stated.plan.memoryBytes).toEqual(divided.plan.memoryBytes)
    expect(stated.read.notes.join()).not.toContain('counted as with')
    // What only it makes too large is told it first.
    const bytesPerChip = (divided.plan.memoryBytes.total + whole.plan.memoryBytes.total) / 2
    const short = { ...body, memoryBudget: { bytesPerChip } }
    const { plan, suggestions, ...answer } = await evaluated(short)
    expect(plan.feasible).toBe(false)
    const [{ change, inFile, pointer, value, also = [] }] = suggestions
    expect(change).toBe('with --sequence-parallel')
    expect(inFile).toEqual({ set: ['--sequence-parallel'], unset: [] })
    const again = await evaluated(sentAsRead({ ...answer, plan }, [{ pointer, value }, ...also]))
    expect(again.plan.feasible).toBe(true)
  })

  it('of a command that a script gets, the script may divide it', async () => {
    const megatron = `bash train.sh ${line.replace(/.*pretrain_gpt.py /, '').replace('--sequence-parallel', overlaps)}`
    const { plan, read } = await evaluated({ ...question, plan: { megatron } })
    expect(read.notes.join()).toContain('counted as with --sequence-parallel')
    expect(plan.costedWith).toBeUndefined()
  })

  it('is costed as a plan is whose command it is, on GPUs that have no user buffers', async () => {
    const asked = { ...question, hardware: { chip: 'mi300x', chips: 16 } }
    const { plan } = await evaluated({ ...asked, plan: { mesh: { data: 8, tensor: 2 }, zeroStage: 1 } })
    const again = await evaluated({ ...asked, plan: { megatron: plan.launch.megatron } })
    expect(again.plan.stepTimeSeconds).toBe(plan.stepTimeSeconds)
    expect(again.read.notes).toEqual([expect.stringContaining('costed with')])
  })

  it('is costed as the request says, where that says what hides', async () => {
    const hidden = await costed(overlaps)
    const { overlapCriticalPath } = (
      await evaluated({
        ...question,
        hardware: { ...hardware, chips: 16 },
        plan: { mesh: { data: 8, tensor: 2 } },
      })
    ).assumptions
    const assumptions = { basis: 'calibrated', stack: 'megatron', overlapCriticalPath }
    const stated = await costed(overlaps.replace('--tp-comm-overlap', ''), { assumptions })
    expect(stated.seconds).toBe(hidden.seconds)
    const book = await costed('--use-distributed-optimizer', { assumptions: 'book' })
    expect(book.read.request.assumptions).toBe('book')
  })

  it('is held to the best of commands that hide it, and told what the same plan would take with its options', async () => {
    const constraints = { pipeline: 1, context: 1 }
    const asked = (flags: string) => ({
      hardware,
      constraints,
      plan: { megatron: `${line} --vocab-size 128256 ${flags}` },
      require: { withinOfBest: 0 },
    })
    const validated = async (body: object) => (await agent.post('/validate').send(body)).body
    const hiding = await validated(asked(overlaps))
    for (const flags of apart) {
      const body = asked(overlaps.replace(flags.join(' '), ''))
      const lacking = await validated(body)
      expect(lacking.best).toEqual(hiding.best)
      expect(lacking.plan.stepTimeSeconds).toBeGreaterThan(hiding.plan.stepTimeSeconds)
      expect(lacking.warnings).toContainEqual(
        expect.stringMatching(new RegExp(`^with ${flags.join(' and ')} the same plan takes .* in place of `)),
      )
      const check = lacking.checks.find(({ name }: { name: string }) => name === 'withinOfBest')
      const [{ changes }] = check.nearest
      const again = await validated(sentAsRead(lacking, changes))
      expect(again.ok).toBe(true)
      const { require: _, ...question } = body
      const { regret, assumptions } = await evaluated({ ...question, regret: true })
      expect(lacking.assumptions).toEqual(assumptions)
      const share = 1 - hiding.best.stepTimeSeconds / lacking.plan.stepTimeSeconds
      expect(regret.savesFraction).toBeCloseTo(share, 6)
    }
    expect(hiding.warnings.join()).not.toContain('the same plan takes')
  })

  it('is of a recipe of Megatron Bridge where its own overrides say so alone', async () => {
    const asked = (more: string) => ({
      hardware: { chip: 'h100-sxm', chips: 16 },
      plan: {
        megatronBridge: `run_recipe.py --model llama3_8b model.tensor_model_parallel_size=2 model.sequence_parallel=true dataset.seq_length=8192 train.global_batch_size=64 ${more}`,
      },
    })
    const plain = await evaluated(asked(''))
    const waiting = await evaluated(asked('ddp.overlap_grad_reduce=false'))
    expect(plain.read.notes.join()).not.toContain('without --')
    expect(waiting.read.notes.join()).toContain('without --overlap-grad-reduce')
    expect(waiting.plan.stepTimeSeconds).toBeGreaterThan(plain.plan.stepTimeSeconds)
  })
})

describe('a launch file with several faults', () => {
  it('is told all of them, a word that nobody understands among them', async () => {
    const hardware = { chip: 'h100-sxm', chips: 64 }
    const plan = { megatron: `${line} --pipeline-model-paralel-size 4` }
    const refused = await evaluated({ ...question, hardware, precision: { compute: 'fp9' }, plan }, 422)
    expect(pointersOf(refused)).toEqual(['/hardware/chips', '/precision/compute', '/plan/megatron'])
    expect(refused.errors.at(-1).detail).toContain('--pipeline-model-paralel-size')
    const short = { megatron: 'pretrain_gpt.py --seq-lenght 4096 --micro-batch-size 1 --bf16' }
    const lacking = await evaluated({ model: question.model, hardware, plan: short }, 400)
    expect(pointersOf(lacking)).toContain('/workload/sequenceLength')
    expect(lacking.errors.at(-1).detail).toContain('--seq-lenght')
    const unknown = await evaluated(
      { hardware, top: 0, plan: { vllm: 'vllm serve no/such-model --tensor-paralel-size 8' } },
      422,
    )
    expect(pointersOf(unknown)).toEqual(['/plan/vllm', '/top', '/plan/vllm'])
  })
})

it('a model of a launch file that the catalogue lacks is not taken for one of another size', async () => {
  const told = async (name: string) => {
    const maxtext = `python3 -m maxtext.trainers.pre_train.train model_name=${name} per_device_batch_size=1`
    const { errors } = await evaluated(
      { hardware: { chip: 'tpu-v6e', topology: [4, 4] }, plan: { maxtext } },
      422,
    )
    return errors.find(({ pointer }: { pointer: string }) => pointer === '/plan/maxtext')
  }
  expect(await told('gemma5-2b')).toMatchObject({ detail: expect.stringContaining('the nearest are') })
  expect((await told('gemma5-2b')).correction).toBeUndefined()
  expect((await told('lama3-70b')).correction).toEqual([{ pointer: '/model', value: 'llama-3-70b' }])
})

describe('a misspelt option', () => {
  it('is told beside other faults with what was meant, and options that are read are not', async () => {
    const more = '--pipeline-model-parallel-size 3 --recompute-granularity selective'
    const megatron = `${line.replace('sequence-parallel', 'sequnce-parallel')} ${more}`
    const { model, hardware } = question
    const { errors } = await evaluated({ model, hardware, plan: { megatron } }, 422)
    const told = errors.map(({ detail }: { detail: string }) => detail).join('\n')
    expect(told).toContain('did you mean --sequence-parallel?')
    expect(told).toContain('do not divide the 16 GPUs')
    expect(told).not.toMatch(/does not understand|recompute/)
  })

  it('is told apart from one that there is and that nobody reads, which is no fault', async () => {
    const more = '--pipeline-model-parallel-size 3 --enable-gpt-oss'
    const errorsOf = async (options: string, program: string) => {
      const megatron = `${line.replace('pretrain_gpt.py', program)} ${more} ${options}`
      const { errors } = await evaluated(
        { model: question.model, hardware: question.hardware, plan: { megatron } },
        422,
      )
      return errors.map(({ detail }: { detail: string }) => detail).join('\n')
    }
    expect(await errorsOf('', 'pretrain_gpt.py')).not.toMatch(/does not understand|gpt-oss/)
    expect(await errorsOf('--foo-bar 4', 'my.py')).toMatch(/does not understand --foo-bar 4$/m)
  })

  it('of a fork is no fault beside another one, if the check of options is left out', async () => {
    const plan = { megatron: `${line} --pipeline-model-parallel-size 3 --goldfish-loss` }
    const told = async (more: object) => {
      const { model, hardware } = question
      const { body } = await agent.post('/validate').send({ model, hardware, plan, ...more })
      return body.errors.map(({ detail }: { detail: string }) => detail).join('\n')
    }
    expect(await told({})).toMatch(/do not divide[\s\S]*--goldfish-loss is no option/)
    expect(await told({ require: { understood: false } })).toMatch(/^(?![\s\S]*goldfish)[\s\S]*do not divide/)
  })

  const generate = { mode: 'generate', batchSequences: 4, contextLength: 4096 }
  const server = { hardware: { chip: 'h100-sxm', chips: 2 }, workload: generate }
  const trainer = { hardware: { chip: 'h100-sxm' }, constraints: { pipeline: 1, context: 1 } }
  it.each([
    [
      'megatron',
      trainer,
      `${line} --vocab-size 128256`,
      '--use-distributed-optimizer',
      'optimizer',
      'optimiser',
    ],
    ['vllm', server, 'vllm serve meta-llama/Llama-3.1-8B', '--tensor-parallel-size 2', 'parallel', 'paralel'],
  ])('of %s is told first, and fails a check', async (framework, rest, command, option, right, wrong) => {
    const validated = async (options: string, more: object = {}) => {
      const plan = { [framework]: `${command} ${options}` }
      const { body, status, text } = await agent.post('/validate').send({ ...rest, plan, ...more })
      expect(status, text.slice(0, 400)).toBe(200)
      const checks: readonly { readonly name: string }[] = body.checks
      return { body, understood: checks.filter(({ name }) => name === 'understood') }
    }
    const none = `${option} --no-such-option 3`
    expect((await validated(none)).understood).toMatchObject([{ ok: false, actual: '--no-such-option' }])
    expect((await validated(none, { require: { understood: false } })).understood).toEqual([])
    const [meant = ''] = option.split(' ')
    const actual = meant.replace(right, wrong)
    const { body, understood } = await validated(option.replace(right, wrong))
    expect(body.ok).toBe(false)
    expect(body.warnings).toContainEqual(
      expect.stringMatching(
        `^${framework}: ${actual} is no option of ${framework} .*: did you mean ${meant}\\?$`,
      ),
    )
    expect(understood).toMatchObject([{ ok: false, pointer: `/plan/${framework}`, expected: meant, actual }])
  })
})

describe('what launches Megatron-LM', () => {
  it('says chips, model, batch and types of numbers, so that the request need not', async () => {
    const { plan, model, read, warnings } = await evaluated({
      hardware: { chip: 'h100-sxm' },
      plan: { megatron: `${line} --vocab-size 128256 --no-such-option 3 --lr 1e-4` },
    })
    expect(plan.mesh).toMatchObject({ data: 8, tensor: 2 })
    expect(model.parameters).toBeCloseTo(8.03e9, -7)
    expect(read.request).toMatchObject({
      hardware: { chips: 16 },
      workload: { batchSequences: 64, sequenceLength: 8192 },
      precision: { gradients: 'fp32' },
    })
    expect(read.ignored).toEqual(['--lr 1e-4'])
    expect(read.notUnderstood).toEqual(['--no-such-option 3'])
    expect(warnings).toContainEqual(
      expect.stringMatching(/^megatron: --no-such-option is no option of megatron/),
    )
    expect(warnings.join()).not.toContain('not understood')
  })

  it.each([
    ['another length', { workload: { sequenceLength: 4096 } }, '/workload/sequenceLength'],
    ['another batch', { workload: { batchTokens: 1_048_576 } }, '/workload/batchTokens'],
    ['other chips', { hardware: { chip: 'h100-sxm', chips: 32 } }, '/hardware/chips'],
    ['another type of numbers', { precision: { compute: 'fp8' } }, '/precision/compute'],
    ['another model', { model: 'llama-3-70b' }, '/model'],
    ['a chip that there is not', { hardware: { chip: 'h1000' } }, '/hardware/chip'],
    ['a plan that is none', { plan: { megatron: line.replace('-size 2', '-size 3') } }, '/plan/megatron'],
    ['no vocabulary', { model: undefined }, '/model'],
    ['no number', { plan: { megatron: line.replace('-size 2', '-size $TP') } }, '/plan/megatron'],
    [
      'a batch that does not divide',
      { plan: { megatron: line.replace('-size 64', '-size 63') } },
      '/plan/megatron',
    ],
  ])('is refused beside %s, where that stands', async (_, other, pointer) => {
    const body = { model: 'llama-3-8b', hardware: { chip: 'h100-sxm' }, plan: { megatron: line }, ...other }
    const response = await agent.post('/evaluate').send(body)
    expect([400, 422], response.text.slice(0, 300)).toContain(response.status)
    expect(pointersOf(response.body)).toContain(pointer)
  })

  it('that does not fit is told of changes alone that its framework, or those that are required, launch', async () => {
    const { model, constraints } = question
    const body = {
      ...{ model, constraints, hardware: { chip: 'h100-sxm' }, memoryBudget: { fraction: 0.4 } },
      plan: { megatron: `${line} --pipeline-model-parallel-size 2` },
    }
    for (const require of [{}, { launchableBy: ['megatron'] }]) {
      const answer = (await agent.post('/validate').send({ ...body, require })).body
      const { nearest } = answer.checks.find(({ name }: { name: string }) => name === 'fits')
      expect(nearest.length).toBeGreaterThan(1)
      for (const { changes } of nearest) {
        const request = { ...sentAsRead(answer, changes), require: { launchableBy: ['megatron'] } }
        const again = (await agent.post('/validate').send(request)).body
        expect(
          again.checks.filter(({ ok }: { ok: boolean }) => !ok),
          JSON.stringify(changes),
        ).toEqual([])
      }
    }
  })

  it('has no field of a plan beside it, and is told where the plan can be changed', async () => {
    const plan = { megatron: line, mesh: { tensor: 4 } }
    const { errors } = await evaluated({ ...question, plan }, 400)
    expect(errors).toEqual([{ pointer: '/plan/mesh', detail: expect.stringContaining('read.request') }])
  })

  it('that does not fit is told of changes of what it was read into, which each report says', async () => {
    const body = {
      ...{ model: 'llama-3-8b', hardware: question.hardware, memoryBudget: { fraction: 0.4 } },
      plan: { megatron: `${line} --pipeline-model-parallel-size 2` },
    }
    const answer = await evaluated(body)
    expect(answer.suggestions.length).toBeGreaterThan(1)
    for (const { pointer, value, also = [] } of answer.suggestions) {
      const again = await evaluated(sentAsRead(answer, [{ pointer, value }, ...also]))
      expect(again.plan.feasible, pointer).toBe(true)
    }
    const says = /\/read\/request\/plan[\s\S]*read.request of the JSON answer/
    expect(says.test(evaluationReport.text(answer))).toBe(true)
    const asked = { ...body, constraints: { pipeline: 2, context: 1, tensor: 2 } }
    for (const type of ['text/plain', 'text/csv', 'application/xml', 'application/sarif+json']) {
      const { text } = await agent.post('/validate').set('accept', type).send(asked)
      expect(says.test(text), type).toBe(true)
    }
  })

  it('is checked, and what is nearest is a change of the request as it was read', async () => {
    const body = {
      model: 'llama-3-8b',
      hardware: { chip: 'h100-sxm' },
      constraints: question.constraints,
      plan: { megatron: line.replace('-size 2', '-size 16') },
    }
    const { ok, checks, read } = (
      await agent.post('/validate').send({ ...body, require: { launchableBy: ['megatron'] } })
    ).body
    expect([ok, read.request.plan.mesh.tensor]).toEqual([true, 16])
    expect(checks.map(({ name }: { name: string }) => name)).toEqual(['legal', 'fits', 'launchableBy'])
  })
})

describe('a launch file that its own framework cannot start', () => {
  const interleaved = `${line} --pipeline-model-parallel-size 4 --num-virtual-stages-per-pipeline-rank 2 --vocab-size 128256`
  const server = (workload: object) => ({
    hardware: { chip: 'h200-sxm', chips: 8 },
    workload: { mode: 'generate', contextLength: 4096, ...workload },
  })
  it.each([
    ['vllm', server({}), 'vllm serve Qwen/Qwen3-235B-A22B-FP8 --tensor-parallel-size 8 --max-num-seqs 64', 4],
    [
      'sglang',
      server({ batchSequences: 64 }),
      'python -m sglang.launch_server --model-path Qwen/Qwen3-235B-A22B-FP8 --tp 8',
      4,
    ],
    [
      'megatron',
      { hardware: question.hardware, constraints: { context: 1, tensor2: 1 } },
      interleaved.replace('-size 64', '-size 6'),
      null,
    ],
  ])('of %s fails, with the reason of its launch, unless nobody asks', async (framework, rest, file, fewer) => {
    const checked = async (text: string, more: object = {}) =>
      (await agent.post('/validate').send({ ...rest, ...more, plan: { [framework]: text } })).body
    const found = await checked(file)
    const by = ({ checks }: { checks: readonly { name: string }[] }) =>
      checks.filter(({ name }) => name === 'launchableBy')
    expect(found.ok).toBe(false)
    const [reason] = found.plan.launch[framework].unsupported
    expect(by(found)).toMatchObject([
      { ok: false, message: expect.stringContaining(`${framework}: ${reason}`) },
    ])
    expect(found.read.request.require).toEqual({ launchableBy: [framework] })
    expect(by(await checked(file, { require: { launchableBy: [] } }))).toEqual([])
    const mended = fewer ? file.replace(/(size|tp) 8/, `$1 ${fewer}`) : interleaved
    const chips = fewer ? { hardware: { chip: 'h200-sxm', chips: fewer } } : {}
    expect(by(await checked(mended, chips))).toMatchObject([{ ok: true }])
  })

  it('with what its framework has and is not written here passes, and is told so', async () => {
    const file =
      '[model]\nname = "llama3"\nflavor = "8B"\n[training]\nlocal_batch_size = 1\nseq_len = 4096\ndtype = "bfloat16"\n'
    const body = { hardware: { chip: 'h100-sxm', chips: 8 }, plan: { torchtitan: file } }
    const found = (await agent.post('/validate').send(body)).body
    const { unsupported, unwritten } = found.plan.launch.torchtitan
    expect(unwritten.length).toBeGreaterThan(0)
    expect(unsupported).toEqual(unwritten)
    const by = (checks: readonly { name: string }[]) => checks.filter(({ name }) => name === 'launchableBy')
    const passes = {
      ok: true,
      message: expect.stringContaining(`No flags are written for torchtitan: ${unwritten[0]}`),
    }
    expect(by(found.checks)).toMatchObject([passes])
    const again = await agent.post('/validate').send(found.read.request)
    expect(by(again.body.checks)).toMatchObject([passes])
  })

  it('for want of memory alone is told that by fits, once', async () => {
    const file = 'vllm serve meta-llama/Llama-3.1-70B --tensor-parallel-size 1 --max-num-seqs 8'
    const hardware = { chip: 'h100-sxm', chips: 1 }
    const workload = { mode: 'generate', contextLength: 4096 }
    const { body } = await agent.post('/validate').send({ hardware, workload, plan: { vllm: file } })
    const failed = body.checks.filter(({ ok }: { ok: boolean }) => !ok)
    expect(failed.map(({ name }: { name: string }) => name)).toEqual(['fits'])
  })
})

it('regret of a launch file is that of its own framework, whatever else could launch its plan', async () => {
  const torchtitan = [
    '[model]\nname = "llama3"\nflavor = "8B"',
    '[training]\nlocal_batch_size = 1\nglobal_batch_size = 64\nseq_len = 8192',
    '[parallelism]\ntensor_parallel_degree = 8\ndata_parallel_shard_degree = 4',
    '[activation_checkpoint]\nmode = "full"',
  ].join('\n')
  const asked = { model: 'llama-3-8b', hardware: { chip: 'h100-sxm', chips: 32 }, regret: true }
  const { regret, plan, read, ...rest } = await evaluated({ ...asked, plan: { torchtitan } })
  expect(plan.launch, JSON.stringify(rest)).toHaveProperty('megatron')
  expect(regret.frameworks).toEqual(['torchtitan'])
  const spelled = await evaluated({ ...read.request, regret: true })
  expect(spelled.regret.frameworks.length).toBeGreaterThan(1)
})

it('an option that its framework refuses is told once, with the one that is meant', async () => {
  const megatron =
    'torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 --num-attention-heads 32 --max-position-embeddings 4096 --seq-length 4096 --micro-batch-size 1 --global-batch-size 64 --vocab-size 32000 --bf16 --recompute-granularityy full'
  const { warnings } = await evaluated({ hardware: { chip: 'h100-sxm', chips: 8 }, plan: { megatron } })
  const said = warnings.filter((one: string) => one.includes('granularityy'))
  expect(said).toEqual([
    expect.stringMatching(/is no option of megatron .*did you mean --recompute-granularity\?/),
  ])
})
