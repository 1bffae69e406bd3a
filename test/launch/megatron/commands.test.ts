/** Commands written for Megatron-LM are read back as the same plan: as an argument list, in a script, and through variables. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readMegatron } from '../../../src/launch/megatron/read/read.ts'
import { unitMesh } from '../../../src/sharding/axis.ts'
import { launchedPlan } from '../../golden/launched-plan.ts'
import { launchesOf } from '../../golden/sampled-launches.ts'
import { law } from '../../law.ts'

const launches = launchesOf(({ megatron }) =>
  megatron && !('unsupported' in megatron) ? megatron : undefined,
)

const some = fc.constantFrom(...launches)

type Launch = (typeof launches)[number]

function read({ asked, flags }: Launch, written: string | readonly string[] = flags) {
  return readMegatron(written, asked.cluster.chips)
}

const quoted = (flag: string) => (/^[\w./:=-]+$/.test(flag) ? flag : `'${flag}'`)

describe('flags of Megatron-LM', () => {
  law('are read whole: nothing is a fault, and nothing is not understood', 300, [some], (launch) => {
    const { faults, notUnderstood, notes } = read(launch)
    expect({ faults, notUnderstood }).toEqual({ faults: [], notUnderstood: [] })
    // One that tensor parallelism hides with where it may: tensor-overlap.ts.
    const alone = (launch.plan.mesh.tensor ?? 1) > 1 && !launch.flags.includes('--tp-comm-overlap')
    expect(notes).toEqual(alone ? [expect.stringContaining('without --tp-comm-overlap: costed')] : [])
  })

  law(
    'say the model, the batch and the types of numbers that they were written of',
    100,
    [some],
    (launch) => {
      const { model, workload, precision } = read(launch)
      const {
        layers,
        dModel,
        dFf,
        heads,
        kvHeads,
        headDim,
        vocab,
        gatedMlp,
        tiedEmbeddings,
        attention,
        experts,
      } = launch.asked.model
      expect(model).toMatchObject({ layers, dModel, dFf, heads, vocab, gatedMlp, tiedEmbeddings })
      if (!attention.latent) expect(model).toMatchObject({ kvHeads, headDim })
      else expect(model?.attention).toMatchObject({ kind: 'mla', mla: attention.latent })
      if (experts) {
        const { sharedExperts, ...others } = experts
        expect(model?.moe).toMatchObject({ ...others, ...(sharedExperts > 0 ? { sharedExperts } : {}) })
      }
      expect(workload).toMatchObject({
        sequenceLength: launch.asked.workload.sequenceLength,
        optimizer: 'adamw',
      })
      expect(precision).toEqual({ weights: 'bf16', compute: 'bf16', gradients: 'fp32', optimizer: 'fp32' })
    },
  )

  law('are written again of what was read of them', 150, [some], (launch) => {
    const { plan } = launch
    const { plan: found, workload } = read(launch)
    const fields = found as {
      readonly mesh: Record<string, number>
      readonly zeroStage: 0 | 1 | 2 | 3
      readonly microbatches: number
      readonly virtualStages?: number
      readonly stageLayers?: readonly number[]
      readonly contextLayout?: 'ring' | 'gather' | 'ulysses'
    }
    const virtualStages = fields.virtualStages ?? 1
    const again = launchedPlan(launch.model, {
      mesh: fields.mesh,
      zeroStage: fields.zeroStage,
      microbatches: fields.microbatches,
      sequences: Number(workload.batchSequences) / fields.microbatches,
      schedule: {
        name: fields.mesh.pipeline === 1 ? 'none' : virtualStages > 1 ? 'interleaved-1f1b' : '1f1b',
        virtualStages,
      },
      ...(fields.stageLayers ? { stageLayers: fields.stageLayers } : {}),
      ...(fields.contextLayout ? { contextLayout: fields.contextLayout } : {}),
      ...(plan.policies ? { policies: plan.policies } : {}),
      ...(plan.placement ? { placement: plan.placement } : {}),
    })
    expect(again.megatron).toEqual(launch.flags)
    expect({ ...unitMesh, ...fields.mesh }).toEqual({ ...unitMesh, ...plan.mesh })
  })

  law('say which layers are recomputed', 150, [some], (launch) => {
    const { policies: [policy, other, count = 0] = ['none'], stageLayers = [] } = launch.plan
    const total = stageLayers.reduce((sum, layers) => sum + layers, 0)
    const others = stageLayers.reduce((sum, layers) => sum + Math.min(count, layers), 0)
    const layersOf: Record<string, number> = { [policy]: total - others }
    if (other) layersOf[other] = (layersOf[other] ?? 0) + others
    const found = read(launch).plan.rematerialization as string | { policy: string; layers: number }[]
    const counts =
      typeof found === 'string'
        ? { [found]: total }
        : Object.fromEntries(found.map((own) => [own.policy, own.layers]))
    expect(counts).toEqual(Object.fromEntries(Object.entries(layersOf).filter(([, layers]) => layers > 0)))
  })

  law('mean the same in a script, in arrays, in variables and with an equals sign', 60, [some], (launch) => {
    const line = launch.flags.map(quoted).join(' ')
    const { chips } = launch.asked.cluster
    const torchrun = `torchrun --nproc_per_node ${chips} --nnodes 1 pretrain_gpt.py`
    const lines = launch.flags.map((flag, at) => `${quoted(flag)}${at % 3 === 0 ? ' # so it is' : ''}`)
    const scripts = [
      `#!/bin/bash\n${torchrun} ${line.replaceAll(' --', ' \\\n  --')} | tee log.txt`,
      `ARGS=(\n${lines.join('\n')}\n)\nexport CUDA_DEVICE_MAX_CONNECTIONS=8\n${torchrun} \${ARGS[@]}`,
      `A="${line.replaceAll("'", '')}"\nN=$((${chips} / 1))\nif [ -z "$X" ]; then echo no; fi\ntorchrun --nproc-per-node=\${N} --nnodes=\${NODES:-1} pretrain_gpt.py $A`,
    ]
    const { notes: _, ...expected } = { ...read(launch), hardware: { chips } }
    for (const script of scripts.slice(0, /[()|;]/.test(line) ? 2 : 3)) {
      const { notes: _, ...found } = readMegatron(script, null)
      expect(found).toEqual(expected)
    }
  })
})

it('of several trainings the last is read, and a note says so', () => {
  const one = (tensor: number) =>
    `torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 32 --tensor-model-parallel-size ${tensor}`
  const { plan, notes } = readMegatron(`${one(2)}\n${one(4)}\n${one(4)}`, 8)
  expect(plan).toMatchObject({ mesh: { tensor: 4 } })
  expect(notes).toContain('of 2 commands that start Megatron-LM the last is read')
  expect(readMegatron(`bash -c '${one(2)}'`, 8).notes.join()).not.toContain('commands that start')
})
