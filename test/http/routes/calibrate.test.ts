/** POST /calibrate over HTTP: what it answers, and what it rejects with which pointer. */
import { describe, expect, it } from 'vitest'
import { loadCatalogue } from '../../../api/catalogue.ts'
import { calibrationReport } from '../../../api/report/calibration.ts'
import { evaluateAsked } from '../../../api/validation/written-plan.ts'
import { evaluateQuestion } from '../../../api/worker/desk.ts'
import { javascriptLpSolver as solver } from '../../../solvers/javascript-lp-solver.ts'
import { evaluated } from '../../../src/modes/modes.ts'
import { endless } from '../../../src/patience.ts'
import { service } from '../service.ts'

const run = {
  model: 'llama-3.1-8b',
  hardware: { chip: 'h100-sxm', chips: 8 },
  workload: { mode: 'train', batchSequences: 8, sequenceLength: 4096 },
  plan: { mesh: { fsdp: 8 } },
  measuredStepSeconds: 0.6,
}

async function calibrated(body: object) {
  const response = await service().post('/calibrate').send(body)
  return { status: response.status, body: response.body }
}

describe('POST /calibrate', () => {
  it('answers what to send along, in the words of the request', async () => {
    const own = { ...run, assumptions: { stack: 'none', lossChunks: 4 } }
    const { status, body } = await calibrated({ runs: [own], constants: ['hbmEfficiency'] })
    expect(status).toBe(200)
    const [{ name, value, assumed }] = body.constants
    expect(name).toBe('hbmEfficiency')
    expect(value).not.toBe(assumed)
    expect(body.assumptions).toEqual({
      ...{ basis: 'calibrated', stack: 'none', lossChunks: 4 },
      hbmEfficiency: value,
    })
    expect(body.runs[0].fits).toBe(true)
  })

  it('counts runs from 1, as its table does', async () => {
    const first = (await calibrated({ runs: [run] })).body.runs[0].assumedStepSeconds
    const { body } = await calibrated({ runs: [run, { ...run, measuredStepSeconds: 1000 * first }] })
    expect(body.warnings[0]).toMatch(/^run 2 \(/)
  })

  it('says in every report what was set, how far off it is, which run does not fit, and what to send along', async () => {
    const first = (await calibrated({ runs: [run] })).body.runs[0].assumedStepSeconds
    const asked = { runs: [run, { ...run, name: 'a|b', measuredStepSeconds: 1000 * first }] }
    const { body } = await calibrated(asked)
    expect(body.runs.map(({ fits }: { fits: boolean }) => fits)).toEqual([true, false])
    const along = JSON.stringify(body.assumptions)
    const [text, markdown] = [calibrationReport.text(body), calibrationReport.markdown(body)]
    for (const written of [text, markdown]) {
      expect(written).toContain(`"assumptions": ${along}`)
      expect(written).toMatch(/error[ |]+median[ |]+worst/)
      expect(written).toMatch(/assumed[ |]+fitted[ |]+left out/)
      expect(written).toMatch(/left out[ |]+[\d.]+ %[ |]+[\d.]+ %/)
    }
    expect(text).toMatch(/^! +a\|b/m)
    expect(markdown).toMatch(/^\| ! \| a\\\|b \|/m)
    const [head = '', , second = ''] = calibrationReport.csv(body).split('\r\n')
    expect(head).toMatch(/,fits,error\.assumed\.median,.*,error\.leftOut\.worst,assumptions$/)
    expect(second).toContain(',false,')
    expect(second).toContain(`${body.error.leftOut.worst},"${along.replaceAll('"', '""')}"`)
  })

  it('takes a launch file as /evaluate does, says what it leaves open, and sends its stack along', async () => {
    const file = [
      'torchrun --nproc-per-node 8 pretrain_gpt.py --seq-length 4096',
      '--tensor-model-parallel-size 2 --sequence-parallel --micro-batch-size 1 --global-batch-size 8 --bf16',
      '--use-distributed-optimizer --overlap-grad-reduce --overlap-param-gather --no-such-flag',
    ].join(' ')
    const { model, hardware, measuredStepSeconds } = run
    const launched = { ...{ name: 'ours', model, hardware, measuredStepSeconds }, plan: { megatron: file } }
    const { status, body } = await calibrated({ runs: [launched, run], constants: ['hbmEfficiency'] })
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body.runs.map(({ name }: { name: string }) => name)).toEqual(['ours', 'run 2'])
    const { trial } = evaluateQuestion(
      evaluateAsked({ model, hardware, plan: launched.plan }),
      loadCatalogue(),
    )
    const alone = evaluated(trial, solver, endless)
    expect('plan' in alone && alone.plan).toMatchObject({ stepTimeSeconds: body.runs[0].assumedStepSeconds })
    expect(body.assumptions).toMatchObject({ basis: 'calibrated', stack: 'megatron' })
    expect(body.warnings.join('\n')).toMatch(/ours: megatron: .*--no-such-flag/)
  })

  it('refuses runs whose files set what is to be set, and says which of them', async () => {
    const launched = (options: string) => ({
      model: run.model,
      ...{ hardware: run.hardware, measuredStepSeconds: 0.6 },
      plan: {
        megatron: `pretrain_gpt.py --seq-length 4096 --micro-batch-size 1 --global-batch-size 8 --bf16 --use-distributed-optimizer ${options}`,
      },
    })
    const runs = [launched('--overlap-grad-reduce --overlap-param-gather'), launched('')]
    const asked = await calibrated({ runs, constants: ['overlapPrefetched'] })
    const { status, body } = asked
    expect(status, JSON.stringify(body)).toBe(422)
    expect(body.errors[0].pointer).toBe('/runs/1/plan/megatron')
    expect(body.errors[0].detail).toContain('`constants`')
  })

  it.each([
    ['plan', { plan: { megatron: '' } }, '/runs/1/plan/megatron'],
    ['plan', { plan: { mesh: { fsdpp: 8 } } }, '/runs/1/plan/mesh/fsdpp'],
    ['measured time', { measuredStepSeconds: 'fast' }, '/runs/1/measuredStepSeconds'],
  ])('names the run whose %s is wrong', async (_, wrong, pointer) => {
    const { status, body } = await calibrated({ runs: [run, { ...run, ...wrong, name: 'tuesday' }] })
    expect(status).toBe(400)
    expect(body.detail).toContain('/runs/1 (tuesday)')
    expect(body.errors[0].pointer).toBe(pointer)
  })

  it.each([
    [1000, 'about 1,000 times what is predicted', 'in milliseconds?'],
    [1 / 60, 'about 60 times less than what is predicted', 'in minutes?'],
    [12, 'about 10 times what is predicted', 'of one step'],
  ])('asks whether times that are %d times as long are in seconds', async (times, off, asked) => {
    const first = (await calibrated({ runs: [run] })).body.runs[0].assumedStepSeconds
    const { body } = await calibrated({ runs: [{ ...run, measuredStepSeconds: times * first }] })
    expect(body.runs[0].fits).toBe(false)
    expect(body.warnings[0]).toContain(off)
    expect(body.warnings[0]).toContain(asked)
    expect(body.warnings[1]).toBe('these runs say nothing of sustainedShare: it stays as it was assumed')
    expect(body.constants[0].value).toBe(body.constants[0].assumed)
  })

  it.each([
    ['another kind of chip', { hardware: { chip: 'a100-80g-sxm', chips: 8 } }, '/runs/1/hardware/chip'],
    ['other assumptions of what is set', { assumptions: { sustainedShare: 0.5 } }, '/runs/1/assumptions'],
    [
      'a run of inference',
      { workload: { mode: 'prefill', promptLength: 64, batchSequences: 8 } },
      '/runs/1/workload/mode',
    ],
    ['a name that nobody knows', { model: 'llama-3.1-8c' }, '/runs/1/model'],
    ['a plan that cannot be', { plan: { mesh: { fsdp: 7 } } }, '/runs/1/plan/mesh'],
  ])('refuses %s, and points at it', async (_, other, pointer) => {
    const { status, body } = await calibrated({ runs: [run, { ...run, ...other }] })
    expect(status, JSON.stringify(body)).toBe(422)
    expect(body.errors[0].pointer).toBe(pointer)
  })

  it('bounds what it is asked for', async () => {
    const many = { runs: Array.from({ length: 21 }, () => run) }
    const four = {
      runs: [run],
      constants: ['sustainedShare', 'hbmEfficiency', 'scaleOutEfficiency', 'layerOverheadSeconds'],
    }
    const twice = { runs: [run], constants: ['sustainedShare', 'sustainedShare'] }
    for (const body of [many, four, twice, { runs: [] }, { runs: [{ ...run, measuredStepSeconds: 0 }] }]) {
      expect((await calibrated(body)).status).toBe(400)
    }
  })
})
