/** A chip that is spelled out under a name of one's own: what is known of software on it hangs on what it is, and not on its name. */
import { describe, expect, it } from 'vitest'
import { kinAmong } from '../../../src/hardware/kin.ts'
import { catalogue } from '../planners.ts'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const workloads = {
  train: { mode: 'train', batchTokens: 262_144, sequenceLength: 4096 },
  prefill: { mode: 'prefill', batchSequences: 4, promptLength: 2048 },
  generate: { mode: 'generate', batchSequences: 8, contextLength: 2048 },
  serve: { mode: 'serve', promptLength: 512, outputLength: 64, requestsPerSecond: 4 },
}

const about = 'of-our-own'

async function optimized(hardware: object, more: object): Promise<Answer> {
  const { status, body } = await service({ search: planning })
    .post('/optimize')
    .send({ model: 'llama-3-8b', hardware, top: 2, ...more })
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}

interface Answer {
  readonly hardware: { readonly chip: object }
  readonly warnings: readonly string[]
  readonly plans: readonly { readonly stepTimeSeconds: number }[]
}

async function record(name: string) {
  return (await service().get(`/hardware/${name}`)).body
}

/** The answer without what it took, and with the chip's name in place of the given one. */
function called(name: string, answer: Answer): unknown {
  const { search: _search, ...rest } = JSON.parse(JSON.stringify(answer).replaceAll(about, name))
  const { kin: _kin, ...chip } = rest.hardware.chip
  const warnings = rest.warnings.filter((text: string) => !text.includes(`has the peaks of`))
  return { ...rest, hardware: { ...rest.hardware, chip }, warnings }
}

describe('a chip of the catalogue under another name', () => {
  it.each([
    ['h100-sxm', 8, 'train', {}],
    ['gb200-nvl72', 8, 'train', { model: 'gpt-oss-20b', precision: { compute: 'fp8' } }],
    ['tpu-v5p', 8, 'train', {}],
    ['mi300x', 8, 'train', {}],
    ['h100-sxm', 8, 'train', { assumptions: 'book' }],
    ['h800-sxm', 8, 'prefill', {}],
    ['b200-sxm', 8, 'generate', { assumptions: { frameworks: ['vllm'] } }],
    ['mi300x', 8, 'generate', { model: 'gpt-oss-20b' }],
    ['h200-sxm', 4, 'serve', {}],
  ] as const)('%s x %i has the same plans, numbers and commands: %s %j', async (name, chips, mode, more) => {
    const asked = { workload: workloads[mode], ...more }
    const named = await optimized({ chip: name, chips }, asked)
    const renamed = await optimized({ chip: { ...(await record(name)), name: about }, chips }, asked)
    expect(called(name, renamed)).toEqual(called(name, named))
    expect(renamed.hardware.chip).toMatchObject({ kin: name })
    expect(renamed.warnings.join('\n')).toMatch(
      'assumptions' in more && more.assumptions === 'book' ? '' : `${about} has the peaks of ${name}`,
    )
  })

  it('may be asked for by the name of its stack', async () => {
    const chip = { ...(await record('gb200-nvl72')), name: about }
    const assumptions = { stack: 'megatron-core-nvl72' }
    const answer = await optimized({ chip, chips: 8 }, { workload: workloads.train, assumptions })
    expect(answer.plans).not.toEqual([])
  })

  it('keeps its kin with another memory, another network and another price', async () => {
    for (const { name, system: _, ...record } of catalogue.chips.values()) {
      const system = { kind: 'switched' as const, tiers: [] }
      const other = { ...record, name: about, hbmBytes: 1.5e11, usdPerHour: 1, system }
      expect(kinAmong(other, catalogue.chips.values()), name).toBe(name)
    }
  })
})

describe('a chip with peaks of its own', () => {
  const slower = async (more: object) => {
    const chip = { ...(await record('h100-sxm')), ...more, peakFlopsPerSecond: { bf16: 7e14 } }
    return optimized({ chip, chips: 8 }, { workload: workloads.train })
  }

  it('has no kin, whatever its name, and is told so', async () => {
    const [own, borrowed] = [await slower({ name: about }), await slower({})]
    expect(borrowed.hardware.chip).toMatchObject({ name: 'h100-sxm', kin: null })
    expect(own.warnings.join('\n')).toContain(`${about} has the peaks of no chip of the catalogue`)
    expect(called('h100-sxm', own)).toEqual(called('h100-sxm', borrowed))
  })

  it('may say whose software runs on it', async () => {
    const kin = await slower({ name: about, kin: 'h100' })
    const none = await slower({ name: about, kin: null })
    expect(kin.hardware.chip).toMatchObject({ name: about, kin: 'h100-sxm' })
    expect(kin.warnings.join('\n')).toContain('costed as megatron-core-hopper runs')
    expect(kin.plans[0]?.stepTimeSeconds).not.toBe(none.plans[0]?.stepTimeSeconds)
    expect([...kin.warnings, ...none.warnings].join('\n')).not.toContain('has the peaks of')
  })

  it('may not name one that is unknown', async () => {
    const chip = { ...(await record('h100-sxm')), name: about, kin: 'h1000' }
    const { status, body } = await service()
      .post('/optimize')
      .send({ model: 'llama-3-8b', hardware: { chip, chips: 8 }, workload: workloads.train })
    expect(status).toBe(422)
    expect(body.errors[0].pointer).toBe('/hardware/chip/kin')
  })
})
