import { catalogueChip } from '../../catalogue.ts'
import { section } from '../case.ts'
import { inventedChip } from '../chips.ts'
import { precisionOf } from '../precision.ts'
import { bytesOf, flopsOf, forwardWindow, type Shape, timeOn } from '../products/einsum.ts'
import { batchOfNoWait, criticalBatch, matmul, matmulInOneType, ridge } from '../products/matmul.ts'

section('critical batches', (hold) => {
  hold('roof-hbm-intensity-v5e', 'a wide matmul on v5e is compute-bound from 240 tokens', (input) => {
    const chip = inventedChip(input('flops_per_s'), input('hbm_bytes_per_s'))
    return { flops_per_byte: ridge(chip, 'bf16'), critical_batch_tokens: criticalBatch(chip) }
  })

  hold('roof-q1-int8', 'in int8 both sides double, and the critical batch stays', (input) => {
    const chip = inventedChip({ int8: input('int8_ops_per_s') }, input('hbm_bytes_per_s'))
    return {
      hw_intensity: ridge(chip, 'int8'),
      critical_batch_tokens: criticalBatch(chip, 'int8', 'int8', matmulInOneType),
    }
  })

  hold('roof-q2-int8w-bf16', 'int8 weights halve the critical batch of a bf16 matmul', (input) => {
    const chip = inventedChip(input('flops_per_s'), input('hbm_bytes_per_s'))
    return { critical_batch_tokens: criticalBatch(chip, 'int8') }
  })

  for (const id of ['roof-q3-curve-4096', 'roof-q3-curve-1024']) {
    hold(id, 'a matmul climbs the roofline with its batch', (input, { batches }) => {
      const chip = inventedChip(input('flops_per_s'), input('hbm_bytes_per_s'))
      const shape = (B: number): Shape => ({
        component: matmul,
        extents: { B, D: input('D'), F: input('F') },
        precision: precisionOf('int8', 'bf16'),
      })
      const achieved = (B: number) => flopsOf(forwardWindow(shape(B))) / timeOn(chip, shape(B))
      return {
        achieved_flops_per_s: (batches as readonly number[]).map(achieved),
        critical_batch_exact: batchOfNoWait(chip, shape),
      }
    })
  }

  hold('tpu-q4-matmul', 'an int8 matmul of real width needs more tokens than a wide one', (input) => {
    const [D, F] = [input('D'), input('F')]
    const chip = (multiple: number) =>
      inventedChip({ int8: input('int8_ops_per_s') }, multiple * input('hbm_bytes_per_s'))
    const precision = precisionOf('int8', 'int8')
    const shape = (B: number): Shape => ({ component: matmulInOneType, extents: { B, D, F }, precision })
    const [none, one] = [forwardWindow(shape(0)), forwardWindow(shape(1))]
    return {
      critical_batch_hbm: batchOfNoWait(chip(1), shape),
      critical_batch_vmem: batchOfNoWait(chip(input('vmem_multiplier')), shape),
      ops_per_token: flopsOf(one),
      weight_bytes: bytesOf(none),
      bytes_per_token: bytesOf(one) - bytesOf(none),
    }
  })

  hold('gpu-quiz1-q3', 'the critical batch of H100 and B200 is about 290 in either precision', () => {
    const h100 = catalogueChip('h100-sxm', 'book')
    const b200 = catalogueChip('b200-sxm', 'book')
    return {
      h100_fp16: criticalBatch(h100),
      b200_fp16: criticalBatch(b200),
      h100_fp8: ridge(h100, 'fp8'),
      b200_fp8: ridge(b200, 'fp8'),
    }
  })

  for (const [id, weights, compute] of [
    ['in-bcrit-bf16', 'bf16', 'bf16'],
    ['in-bcrit-int8w-bf16f', 'int8', 'bf16'],
    ['in-bcrit-int8w-int8f', 'int8', 'int8'],
    ['in-bcrit-int4w-bf16f', 'int4', 'bf16'],
    ['in-bcrit-int4w-int8f', 'int4', 'int8'],
    ['in-bcrit-h100', 'bf16', 'bf16'],
  ] as const) {
    hold(id, `the critical batch with ${weights} weights and ${compute} arithmetic`, (input) => {
      const chip = inventedChip({ [compute]: input('flops_per_s') }, input('hbm'))
      return { critical_batch_tokens: criticalBatch(chip, weights, compute) }
    })
  }
})
