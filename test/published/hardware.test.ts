/**
 * The hardware catalogue, compared with published figures and with itself. TPU figures: How To Scale Your Model, "How
 * to Think About TPUs", tables of TPU specs; GPU figures: the same, "How to Think About GPUs".
 */

import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type ChipRecord, chipOf } from '../../src/hardware/record.ts'
import { elementTypes } from '../../src/recipe/element-type.ts'

const folder = new URL('../../fixtures/hardware/', import.meta.url)
const files = readdirSync(folder).filter((file) => file.endsWith('.json'))

const amount = z.number().positive()
const count = z.int().positive()
const fraction = z.number().gt(0).max(1)
const elements = z.enum(elementTypes)
const peaks = z.partialRecord(elements, amount)
const box = z.array(count).min(2).max(3)
const tier = z.strictObject({
  name: z.string().min(1),
  size: count.nullable(),
  bytesPerSecondPerChip: amount,
  latencySeconds: amount.lt(1e-4),
  inNetworkReduction: z.boolean(),
  direct: z.literal(false).optional(),
})
const torus = z.strictObject({
  kind: z.literal('torus'),
  linkBytesPerSecond: amount,
  hopSeconds: amount,
  wrap: z.union([
    z.strictObject({ kind: z.literal('size'), size: count }),
    z.strictObject({ kind: z.literal('cubes'), edge: count }),
  ]),
  pod: box,
  slices: z.array(box).optional(),
  host: box,
  dcnBytesPerSecondPerChip: amount,
  dcnLatencySeconds: amount,
})
const record = z.strictObject({
  name: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/),
  title: z.string().min(1),
  aliases: z.array(z.string().regex(/^[a-z0-9-]+$/)),
  kind: z.enum(['tpu', 'gpu']),
  peakFlopsPerSecond: peaks,
  hbmBytes: amount,
  hbmBytesPerSecond: amount,
  hostBytesPerSecond: amount,
  hostMemoryBytes: amount,
  usdPerHour: amount.optional(),
  devicesPerChip: amount.optional(),
  boardWatts: amount.optional(),
  efficiency: z.strictObject({
    matmul: fraction,
    matmulHalfFlops: z.number().nonnegative(),
    attention: fraction,
    attentionHalfKeys: amount.optional(),
    sustained: fraction.optional(),
    hbm: fraction,
    cache: fraction.optional(),
    scaleUp: fraction,
    scaleUpHalfBytes: amount.optional(),
    scaleOut: fraction,
  }),
  system: z.discriminatedUnion('kind', [
    torus,
    z.strictObject({ kind: z.literal('switched'), tiers: z.array(tier).min(1) }),
  ]),
  book: z
    .strictObject({ peakFlopsPerSecond: peaks, hbmBytes: amount, hbmBytesPerSecond: amount })
    .partial()
    .optional(),
  sources: z.record(z.string(), z.string()),
})

const catalogue = files.map((file): { file: string; record: ChipRecord } => ({
  file,
  record: JSON.parse(readFileSync(new URL(file, folder), 'utf8')),
}))

function chip(name: string): ChipRecord {
  const found = catalogue.find((entry) => entry.record.name === name)
  if (!found) throw new Error(`${name} is not in the catalogue`)
  return found.record
}

/** JSON pointers to all that is a number, a truth value or null. */
function leaves(value: unknown, pointer = ''): readonly string[] {
  if (typeof value === 'string') return []
  if (typeof value !== 'object' || value === null) return [pointer]
  return Object.entries(value).flatMap(([key, inner]) => leaves(inner, `${pointer}/${key}`))
}

function at(value: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], value)
}

describe('the catalogue', () => {
  it('has every chip that the contract names', () => {
    const named = [
      'tpu-v3 tpu-v4 tpu-v5e tpu-v5p tpu-v6e tpu-7x a100-40g-sxm a100-80g-sxm h100-sxm h200-sxm h800-sxm',
      'b200-sxm gb200-nvl72 mi300x mi325x mi355x',
    ].flatMap((line) => line.split(' '))
    expect(catalogue.map((entry) => entry.record.name)).toEqual(expect.arrayContaining(named))
  })

  it('calls no two chips by one name', () => {
    const names = catalogue.flatMap((entry) => [entry.record.name, ...entry.record.aliases])
    expect(names).toEqual([...new Set(names)])
  })

  describe.each(catalogue)('$file', ({ file, record: entry }) => {
    it('has the fields of a chip and no others', () => {
      expect(record.safeParse(entry).error?.issues ?? []).toEqual([])
    })

    it('is called as its file is', () => {
      expect(`${entry.name}.json`).toBe(file)
    })

    it('has a source for every number', () => {
      const { sources, ...figures } = entry
      const covered = Object.keys(sources).filter((pointer) => pointer.length > 1)
      const uncovered = leaves(figures).filter(
        (leaf) => !covered.some((pointer) => leaf === pointer || leaf.startsWith(`${pointer}/`)),
      )
      expect(uncovered).toEqual([])
    })

    it('cites nothing that it does not have', () => {
      const { sources, ...figures } = entry
      const idle = Object.keys(sources).filter((pointer) => at(figures, pointer) === undefined)
      expect(idle).toEqual([])
      for (const citation of Object.values(sources)) expect(citation.length).toBeGreaterThan(20)
    })

    it('gets slower outwards', () => {
      const { system } = entry
      if (system.kind === 'torus') {
        const { linkBytesPerSecond, pod, dcnBytesPerSecondPerChip, hopSeconds, dcnLatencySeconds } = system
        expect(dcnBytesPerSecondPerChip).toBeLessThan(2 * pod.length * linkBytesPerSecond)
        expect(dcnLatencySeconds).toBeGreaterThan(hopSeconds)
        return
      }
      const [innermost, leaf, spine] = system.tiers
      expect(system.tiers.map((each) => each.size === null)).toEqual([false, false, true])
      expect(leaf?.bytesPerSecondPerChip).toBeLessThan(innermost?.bytesPerSecondPerChip ?? 0)
      expect(spine?.bytesPerSecondPerChip).toBe(leaf?.bytesPerSecondPerChip)
      const latencies = system.tiers.map((each) => each.latencySeconds)
      expect(latencies).toEqual([...latencies].sort((a, b) => a - b))
    })

    it('is no slower in a smaller type of number', () => {
      const { bf16 = 0, fp8 = bf16, fp4 = fp8, fp32 = 0 } = entry.peakFlopsPerSecond
      expect(bf16).toBeGreaterThan(fp32)
      expect(fp8).toBeGreaterThanOrEqual(bf16)
      expect(fp4).toBeGreaterThanOrEqual(fp8)
    })
  })
})

describe("the book's table of TPUs", () => {
  it.each([
    ['tpu-v3', [32, 32], [4, 2], 32e9, 9e11, 1.4e14, 1.4e14, 1e11, 6.25e9, 1.6e10],
    ['tpu-v4', [16, 16, 16], [2, 2, 1], 32e9, 1.2e12, 2.75e14, 2.75e14, 4.5e10, 6.25e9, 1.6e10],
    ['tpu-v5p', [16, 20, 28], [2, 2, 1], 96e9, 2.8e12, 4.59e14, 9.18e14, 9e10, 6.25e9, 1.6e10],
    ['tpu-v5e', [16, 16], [4, 2], 16e9, 8.2e11, 1.97e14, 3.94e14, 4.5e10, 3.125e9, 1.6e10],
    ['tpu-v6e', [16, 16], [4, 2], 32e9, 1.6e12, 9.2e14, 1.84e15, 9e10, 1.25e10, 3.2e10],
    ['tpu-7x', [4, 4, 576], [2, 2, 1], 192e9, 7.4e12, 2.3e15, 4.61e15, 9e10, 1.25e10, 1.6e10],
  ] as const)('is what %s says of itself', (name, pod, host, hbm, hbmRate, bf16, int8, link, dcn, pcie) => {
    const { system, ...figures } = chipOf(chip(name), 'book')
    expect(figures).toMatchObject({ hbmBytes: hbm, hbmBytesPerSecond: hbmRate, hostBytesPerSecond: pcie })
    expect(figures.peakFlopsPerSecond).toMatchObject({ bf16, int8 })
    expect(system).toMatchObject({ pod, host, linkBytesPerSecond: link, dcnBytesPerSecondPerChip: dcn })
  })

  it('gives the intensities that the book works with', () => {
    const intensity = (name: string, bandwidth: (of: ChipRecord) => number) =>
      (chip(name).peakFlopsPerSecond.bf16 ?? 0) / bandwidth(chip(name))
    const bidirectional = ({ system }: ChipRecord) =>
      system.kind === 'torus' ? 2 * system.linkBytesPerSecond : Number.NaN
    const dcn = ({ system }: ChipRecord) =>
      system.kind === 'torus' ? system.dcnBytesPerSecondPerChip : Number.NaN
    expect(intensity('tpu-v5e', (of) => of.hbmBytesPerSecond)).toBeCloseTo(240, 0)
    expect(intensity('tpu-v5p', bidirectional)).toBeCloseTo(2550, 6)
    expect(intensity('tpu-v5p', dcn)).toBeCloseTo(73_440, 6)
  })
})

describe("the book's figures of GPUs", () => {
  it.each([
    ['a100-80g-sxm', 80e9, 2e12, 3.1e14, 3e11],
    ['h100-sxm', 80e9, 3.35e12, 9.9e14, 4.5e11],
    ['h200-sxm', 141e9, 4.8e12, 9.9e14, 4.5e11],
    ['b200-sxm', 192e9, 8e12, 2.25e15, 9e11],
    ['gb200-nvl72', 192e9, 8e12, 2.25e15, 9e11],
  ])('are what %s has under the book assumptions', (name, hbm, hbmRate, bf16, nvlink) => {
    const { system, ...figures } = chipOf(chip(name), 'book')
    expect(figures).toMatchObject({ hbmBytes: hbm, hbmBytesPerSecond: hbmRate, peakFlopsPerSecond: { bf16 } })
    expect(system).toMatchObject({ tiers: [{ bytesPerSecondPerChip: nvlink }, {}, {}] })
  })

  it.each([
    ['h100-sxm', 8, 400e9],
    ['b200-sxm', 8, 400e9],
    ['gb200-nvl72', 72, 3600e9],
  ])('let a node of %s send as much as the book says', (name, size, egress) => {
    const { system } = chip(name)
    const [nvlink, leaf] = system.kind === 'switched' ? system.tiers : []
    expect(nvlink?.size).toBe(size)
    expect(size * (leaf?.bytesPerSecondPerChip ?? 0)).toBe(egress)
  })

  it('leave the rest of the chip alone', () => {
    const { peakFlopsPerSecond, hbmBytes, ...rest } = chipOf(chip('h100-sxm'), 'book')
    const { peakFlopsPerSecond: dataSheet, hbmBytes: real, ...same } = chipOf(chip('h100-sxm'), 'calibrated')
    expect(rest).toEqual(same)
    expect(peakFlopsPerSecond.fp32).toBe(dataSheet.fp32)
    expect(dataSheet.bf16).toBe(9.89e14)
    expect([hbmBytes, real]).toEqual([8e10, 81_559 * 2 ** 20])
    expect(Object.keys(same)).not.toContain('sources')
  })
})
