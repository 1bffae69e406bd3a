/** Options of Megatron-LM that cost nothing are no doubts, so that those which may cost something stand out. */
import { describe, expect, it } from 'vitest'
import { readMegatron } from '../../../src/launch/megatron/read/read.ts'

describe('options that cost nothing', () => {
  const line = 'torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 12'

  it.each([
    '--deterministic-mode',
    '--fsdp-manual-registration',
    '--use-persistent-ckpt-worker',
    '--use-checkpoint-opt_param-scheduler',
    '--use-checkpoint-args',
    '--ddp-num-buckets 8',
    '--muon-momentum 0.9',
  ])('are passed over: %s', (option) => {
    const { ignored, notUnderstood } = readMegatron(`${line} ${option}`, 8)
    expect(ignored).toContain(option)
    expect(notUnderstood).toEqual([])
  })

  it.each([
    '--first-last-layers-bf16',
    '--use-mup',
    '--muon-num-ns-steps 9',
    '--outer-dp-sharding-strategy optim',
  ])('are not those that may cost something: %s', (option) => {
    expect(readMegatron(`${line} ${option}`, 8).notUnderstood).toEqual([option])
  })
})
