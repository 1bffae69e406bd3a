/** On a TPU7x software sees two devices: launches count in them, plans in chips. */
import { describe, expect, it } from 'vitest'
import { evaluateInference } from '../../../src/evaluate-inference.ts'
import { readMaxtext } from '../../../src/launch/maxtext/read/read.ts'
import { readVllm } from '../../../src/launch/vllm/read.ts'
import { unitMesh } from '../../../src/sharding/axis.ts'
import { type HandMade, launched, launchedPrecision as precision } from '../../golden/launched-plan.ts'
import { generation, inferenceProblem, solver } from '../../inference-problem.ts'
import { legal } from '../../legal.ts'

const sequenceLength = 4096
const four = { chip: 'tpu-7x', topology: [2, 2, 1] }
const context = { chips: 4, slices: 1, mode: null, model: null }

function trained(model: string, sequences: number, plan: HandMade) {
  const { maxtext } = launched(
    { model, ...four, batchTokens: sequences * sequenceLength, sequenceLength, precision },
    plan,
  )
  return maxtext as Readonly<Record<string, unknown>>
}

describe('the devices of a chip', () => {
  it('share out sequences in fsdp, and heads where a chip has one sequence or tensor has begun', () => {
    const cases = [
      [8, { fsdp: 4 }, { ici_fsdp_parallelism: 8, ici_tensor_parallelism: 1, per_device_batch_size: 1 }],
      [4, { fsdp: 4 }, { ici_fsdp_parallelism: 4, ici_tensor_parallelism: 2, per_device_batch_size: 0.5 }],
      [8, { data: 4 }, { ici_data_parallelism: 4, ici_fsdp_parallelism: 2, ici_tensor_parallelism: 1 }],
      [
        8,
        { fsdp: 2, tensor: 2 },
        { ici_fsdp_parallelism: 2, ici_tensor_parallelism: 4, per_device_batch_size: 1 },
      ],
    ] as const
    for (const [sequences, mesh, keys] of cases) {
      const config = trained('llama-3-8b', sequences, { mesh })
      expect(config).toMatchObject(keys)
      const read = readMaxtext(config, { ...context, devices: 2 })
      expect(read.faults).toEqual([])
      expect({ ...unitMesh, ...(read.plan.mesh as object) }).toEqual({ ...unitMesh, ...mesh })
      expect(read.workload.batchSequences).toBe(sequences)
      expect(readMaxtext(config, context).faults).toEqual([expect.stringContaining('4 chips')])
    }
  })

  it('that no axis can take are refused', () => {
    const config = trained('gemma-2b', 4, { mesh: { fsdp: 4 } })
    expect(config.unsupported).toEqual([expect.stringContaining('MaxText sees 2 devices on a chip')])
  })

  const served = (model: string, tensor: number) => {
    const problem = inferenceProblem({ model, ...four, workload: generation(16, 8192) })
    const layout = { attention: '1d/heads', mlp: '1d', unembedding: '1d' }
    return legal(
      evaluateInference(problem, { mesh: { ...unitMesh, tensor, data: 4 / tensor }, layout }, solver),
    ).plan.launch
  }

  it('are ranks of a server, which is read as one of whole chips', () => {
    for (const [tensor, ranks] of [
      [4, 8],
      [2, 4],
      [1, 2],
    ] as const) {
      const { vllm, maxtext } = served('llama-3-8b', tensor)
      expect((vllm as readonly string[]).slice(0, 2)).toEqual(['--tensor-parallel-size', `${ranks}`])
      expect(maxtext).toMatchObject({
        ici_tensor_parallelism: ranks,
        per_device_batch_size: (4 * tensor) / ranks,
      })
    }
    const read = (ranks: number) =>
      readVllm(`vllm serve m/n --tensor-parallel-size ${ranks}`, { ...context, devices: 2 })
    expect(read(8)).toMatchObject({ plan: { mesh: { tensor: 4, data: 1 } }, faults: [] })
    expect(read(2)).toMatchObject({ plan: { mesh: { tensor: 1, data: 4 } }, faults: [] })
    expect(read(1).faults).toEqual([expect.stringContaining('1 are no whole chips: the nearest is 2')])
  })

  it('do not keep a key-value head twice', () => {
    const { vllm, maxtext } = served('gemma-2b', 4)
    const said = [expect.stringContaining('8 of them would keep copies of 1')]
    // Its ranks repeat heads, which a plan does not say; MaxText's engine has all of them on each chip.
    expect(vllm).toEqual({ unsupported: said, unwritten: said })
    expect(maxtext).toMatchObject({
      unsupported: [...said, expect.stringMatching(/keeps all 1 key-value/)],
    })
  })
})

it('one axis of a level alone takes what the others leave', () => {
  const open = { ici_fsdp_parallelism: -1, ici_tensor_parallelism: -1 }
  const { faults } = readMaxtext(open, { ...context, chips: 256 })
  expect(faults).toEqual([
    'ici_fsdp_parallelism and ici_tensor_parallelism are -1, and one axis alone may take what the others leave',
  ])
})
