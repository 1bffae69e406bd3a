/** HybridEP wants equal parts of a group of experts in each NVLink domain that the group lies on. */
import { describe, expect, it } from 'vitest'
import { deepEpGroupsRule, domainsRule } from '../../../src/launch/megatron/domains.ts'
import { meshRun } from '../../../src/launch/run/run.ts'
import { faults } from '../../../src/rules/rule.ts'
import { unitMesh } from '../../../src/sharding/axis.ts'
import { problem } from '../../problem.ts'

function refusals(chip: string, chips: number, expert: number, tensor = 1, hierarchicalDispatch = true) {
  const asked = problem({
    ...{ chip, chips, model: 'kimi-k2', batchTokens: 4096 * chips, sequenceLength: 4096 },
    assumptions: { basis: 'calibrated', hierarchicalDispatch },
  })
  const mesh = { ...unitMesh, data: chips / expert / tensor, expert, tensor }
  return faults([domainsRule, deepEpGroupsRule], meshRun(asked, mesh))
}

describe('a group of experts on GB300 NVL72', () => {
  it.each<readonly [chips: number, expert: number, tensor: number, times: number]>([
    ...[8, 24, 36, 72, 144].map((expert) => [576, expert, 1, 0] as const),
    // 48 and 24 + 24, in turn.
    [576, 48, 1, 0],
    // A job of 256 chips has 64 of each domain.
    ...[32, 64, 128].map((expert) => [256, expert, 1, 0] as const),
    ...[32, 64, 96, 192].map((expert) => [576, expert, 1, 1] as const),
    [576, 32, 2, 1],
    [576, 36, 2, 0],
    // One domain has them all.
    [72, 8, 1, 0],
    [64, 64, 1, 0],
  ])('of %i chips: %i of them with %i tensor ranks each is refused %i times', (chips, expert, tensor, times) => {
    expect(refusals('gb300-nvl72', chips, expert, tensor)).toHaveLength(times)
  })

  it('is sent otherwise in nodes of eight, and where tokens are sent once for each expert', () => {
    expect(refusals('h100-sxm', 576, 64)).toEqual([])
    expect(refusals('gb300-nvl72', 576, 96, 1, false)).toEqual([])
    expect(refusals('gb300-nvl72', 576, 96)[0]).toContain(
      'some of 96 ranks lie on unequal parts of domains of 72',
    )
  })
})

describe('a group of experts on boards of eight', () => {
  it.each<readonly [expert: number, tensor: number, times: number]>([
    ...[2, 8, 24, 64].map((expert) => [expert, 1, 0] as const),
    [4, 2, 0],
    ...[3, 6, 12, 192].map((expert) => [expert, 1, 1] as const),
    [4, 3, 1],
  ])('of %i chips with %i tensor ranks each is refused %i times by DeepEP', (expert, tensor, times) => {
    expect(refusals('h100-sxm', 576, expert, tensor)).toHaveLength(times)
    expect(refusals('h100-sxm', 576, expert, tensor, false)).toEqual([])
  })
})
