/** PyTorch's launcher starts as many ranks as a plan has, also if they do not fill the nodes. */
import { describe, expect, it } from 'vitest'
import { optionsOf } from '../../src/launch/read/options.ts'
import { worldOf } from '../../src/launch/read/world.ts'
import { lastHostNote } from '../../src/launch/run/notes.ts'
import type { Run } from '../../src/launch/run/run.ts'
import { torchrun } from '../../src/launch/run/torchrun.ts'
import { problem } from '../problem.ts'

const on = (chips: number) =>
  problem({ model: 'llama-3-8b', chip: 'h100-sxm', chips, batchTokens: 2 ** 20, sequenceLength: 4096 })

describe('torchrun', () => {
  it.each([1, 4, 8, 16, 64, 512])('is told of all ranks of %i chips', (chips) => {
    expect(worldOf(optionsOf(torchrun(on(chips).cluster).split(' ')))).toBe(chips)
    expect(lastHostNote({ problem: on(chips) } as Run)).toBeNull()
  })

  it.each([
    [12, '1 hosts of 8 and 4 GPUs'],
    [60, '7 hosts of 8 and 4 GPUs'],
    [509, '63 hosts of 8 and 5 GPUs'],
  ])('counts the GPUs of each host where %i chips leave some of the last out', (chips, said) => {
    const options = optionsOf(torchrun(on(chips).cluster).split(' '))
    expect(worldOf(options)).toBeNull()
    expect(options.faults).toEqual([])
    expect(lastHostNote({ problem: on(chips) } as Run)).toContain(said)
  })
})
