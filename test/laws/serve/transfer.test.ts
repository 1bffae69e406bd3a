/** Sending a prompt's keys and values between instances, worked out by hand. */
import { describe, expect, it } from 'vitest'
import { evenBatches } from '../../../src/modes/generate/even-batches.ts'
import type { Deployment } from '../../../src/modes/serve/pair.ts'
import { generateWorkload, longestOf, type Requests } from '../../../src/modes/serve/requests.ts'
import { kvTransfer } from '../../../src/modes/serve/transfer.ts'
import { unitMesh } from '../../../src/sharding/axis.ts'

/** Nodes of eight chips, racks of four nodes, and what joins them; half of the first is achieved and a quarter of the others. */
const tiers = [
  { name: 'node', size: 8, bytesPerSecondPerChip: 100 },
  { name: 'rack', size: 4, bytesPerSecondPerChip: 40 },
  { name: 'all', bytesPerSecondPerChip: 10 },
]
const switched = { kind: 'switched', tiers }
const torus = { kind: 'torus', dcnBytesPerSecondPerChip: 20 }

interface Sizes {
  readonly sending: number
  readonly receiving: number
  readonly prefills?: number
  readonly generates?: number
  /** Of a prefill of two prompts. */
  readonly seconds?: number
}

/** Of 800 bytes a prompt, at a prompt every twenty seconds. */
function sent(
  { sending, receiving, prefills = 1, generates = 1, seconds = 16 }: Sizes,
  network: object = switched,
) {
  const assumptions = { scaleUpEfficiency: 0.5, scaleOutEfficiency: 0.25 }
  const setting = { assumptions, cluster: { network } }
  const prefill = { prompts: 2, seconds, size: { cluster: { chips: sending }, bench: { setting } } }
  const pair = { prefill, generate: { size: { cluster: { chips: receiving } } } }
  const deployment = { pair, prefills, generates } as unknown as Deployment
  return kvTransfer(deployment, { cacheBytes: 800 } as Requests, 0.05)
}

describe('keys and values of a prompt', () => {
  it('are sent by as many chips as the smaller instance has', () => {
    expect(sent({ sending: 16, receiving: 8 }).seconds).toBe(800 / (8 * 40 * 0.25))
    expect(sent({ sending: 4, receiving: 16 }).seconds).toBe(800 / (4 * 40 * 0.25))
  })

  it('cross the innermost tier that holds all instances', () => {
    expect(sent({ sending: 4, receiving: 4 }).seconds).toBe(800 / (4 * 100 * 0.5))
    expect(sent({ sending: 4, receiving: 5 }).seconds).toBe(800 / (4 * 40 * 0.25))
    expect(sent({ sending: 16, receiving: 8, generates: 2 }).seconds).toBe(800 / (8 * 40 * 0.25))
    expect(sent({ sending: 16, receiving: 8, generates: 3 }).seconds).toBe(800 / (8 * 10 * 0.25))
    expect(sent({ sending: 16, receiving: 8, prefills: 2 }).seconds).toBe(800 / (8 * 10 * 0.25))
    expect(sent({ sending: 4, receiving: 4 }, torus).seconds).toBe(800 / (4 * 20 * 0.25))
  })

  it('are waited for by all prompts that were read together, however long that took', () => {
    const sizes = { sending: 16, receiving: 8 }
    for (const seconds of [16, 40]) expect(sent({ ...sizes, seconds }).exposedSeconds).toBe(2 * 10)
  })

  it('keep links busy in proportion to the requests, over all instances of the smaller side', () => {
    const each = 0.05 * 800
    expect(sent({ sending: 16, receiving: 8 }).utilization).toBe(each / (8 * 10))
    expect(sent({ sending: 8, receiving: 4, generates: 3 }).utilization).toBe(each / (8 * 10))
    expect(sent({ sending: 8, receiving: 4, prefills: 2, generates: 3 }).utilization).toBe(each / (12 * 10))
  })
})

it('a sequence of a deployment has room for all of its output, and holds half of it on average', () => {
  const lengths = { promptLength: 600, outputLength: 200, cachedPrefixLength: 100 }
  expect(generateWorkload(lengths, 8)).toMatchObject({ contextLength: 800, meanContextLength: 700 })
  expect(longestOf({ mode: 'serve', disaggregated: 'auto', ...lengths })).toBe(800)
  expect(longestOf({ mode: 'serve', disaggregated: 'auto', ...lengths, contextLength: 1000 })).toBe(1000)
})

it('the batches of a mesh are the most that fit, and the next lower ones that divide evenly', () => {
  const mesh = { ...unitMesh, data: 2, tensor: 4, tensor2: 3 }
  // Over 2 x 12 chips, 2 x 3, and both replicas.
  expect(evenBatches(mesh, 107)).toEqual([107, 106, 102, 96])
  expect(evenBatches(mesh, 5)).toEqual([5, 4])
  expect(evenBatches(mesh, 48)).toEqual([48])
})
