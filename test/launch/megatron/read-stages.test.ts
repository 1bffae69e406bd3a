/** Stages that Megatron-LM refuses are refused, with the option that says them. */
import { describe, expect, it } from 'vitest'
import { readMegatron } from '../../../src/launch/megatron/read/read.ts'

const read = (options: string) =>
  readMegatron(
    `torchrun --nnodes 4 --nproc-per-node 8 pretrain_gpt.py --num-layers 80 --hidden-size 1024 --num-attention-heads 8 --micro-batch-size 1 --global-batch-size 64 --seq-length 4096 --max-position-embeddings 4096 --pipeline-model-parallel-size 4 ${options}`,
    null,
  )

const layout = (text: string) => `--pipeline-model-parallel-layout '${text}'`
const virtual = '--num-virtual-stages-per-pipeline-rank'
const ends = '--decoder-first-pipeline-num-layers 14 --decoder-last-pipeline-num-layers 14'

describe('stages of a command', () => {
  it.each([
    [`${virtual} 5`, 5],
    [`${ends} ${virtual} 2`, 2],
    [layout('Et|t|t*2|(t|)*76L'), 20],
    [layout('Et*20|t*20|t*20|t*20L'), 1],
    [layout('Et*14|t*22|t*24|t*20L'), 1],
    [`--mtp-num-layers 1 ${layout('Et*20|t*20|t*20|t*20mL')}`, 1],
    ['--num-layers-per-virtual-pipeline-stage 4', 5],
  ])('%s are read', (options, virtualStages) => {
    const { plan, faults } = read(options)
    expect(faults).toEqual([])
    expect(plan.virtualStages).toBe(virtualStages)
  })

  it.each([
    [
      `${virtual} 7`,
      /rank 7 does not divide the 20 layers of a stage: the nearest that divide them are 5 and 10$/,
    ],
    [
      `${ends} ${virtual} 4`,
      /rank 4 does not divide the 14 layers of a stage: the nearest that divide them are 2 and 7/,
    ],
    [layout('t|t|t*2|(t|)*76L'), /has to begin with E/],
    [layout('Et|t|t*2|(t|)*76'), /has to end with L/],
    [layout('t|t|t*2|(t|)*76EL'), /has to begin with E/],
    [layout('Et|t|Et*2|(t|)*76L'), /has to begin with E, the embedding, and have it once/],
    [layout('EtL|t|t*2|(t|)*76L'), /has to end with L, the loss, and have it once/],
    [
      layout('Et*20|t*20|t*20|t*19L'),
      /--pipeline-model-parallel-layout .* has 79 layers \(t\), the model has 80/,
    ],
    [
      '--account-for-embedding-in-pipeline-split --account-for-loss-in-pipeline-split',
      /^4 stages do not divide the 82 layers, with the embedding and the loss counted as one each$/,
    ],
    [
      '--num-layers-per-virtual-pipeline-stage 3',
      /^--num-layers-per-virtual-pipeline-stage 3 does not divide the 20 layers/,
    ],
    [
      `${ends} --num-layers-per-virtual-pipeline-stage 2`,
      /have their chunks counted by --num-virtual-stages/,
    ],
    [
      `${virtual} 2 ${layout('Et*20|t*20|t*20|t*20L')}`,
      /^Megatron-LM takes one of --num-virtual-stages-per-pipeline-rank and --pipeline-model-parallel-layout$/,
    ],
    [
      layout('Et*20|t*20|t*20|t*20mL'),
      /has 1 layers that predict further tokens \(m\), --mtp-num-layers says 0$/,
    ],
    [`--mtp-num-layers 1 ${layout('Et*20|t*20|t*20|t*20L')}`, /has 0 layers that predict .* says 1$/],
    [`--mtp-num-layers 1 ${layout('Et*20|t*20|t*20m|t*20L')}`, /has layers \(t\) behind what predicts/],
    [`--mtp-num-layers 2 ${layout('Et*20|t*20|t*20|t*15||t*5|m|mL')}`, /in several chunks/],
    [`--mtp-num-layers 1 ${layout('Et*20|t*20|t*20|t*20m||||L')}`, /not the last of its stage/],
    [layout('Et*40|t*40||L'), /has stage 2 without a layer \(t\), which is not counted$/],
    [layout('E t*20|t*20|t*20|t*20L'), /is not so many chunks of 4 stages$/],
    ['--account-for-loss-in-pipeline-split', /the 81 layers, with the loss counted as one$/],
    ['--decoder-first-pipeline-num-layers 15', /^3 stages do not divide the 65 layers that/],
  ])('%s are refused', (options, reason) => {
    expect(read(options).faults).toEqual([expect.stringMatching(reason)])
  })
  it('that a layout deals otherwise than they are counted are told so', () => {
    const { plan, notes } = read(layout('Et|t|t*3||(t|)*75L'))
    expect(plan).toMatchObject({ virtualStages: 20, stageLayers: [20, 20, 22, 18] })
    expect(notes.join()).toMatch(/the layers of a stage are counted as dealt evenly to its 20 chunks/)
    const standing = read(`--mtp-num-layers 1 ${layout('Et*21|t*21|t*38m|L')}`).faults
    expect(standing).toEqual([expect.stringMatching(/stage 3 without a layer/)])
    const further = read(`--mtp-num-layers 1 ${layout('Et*10|t*10|t*10|t*10|t*10|t*20|t*10m|L')}`)
    expect(further.faults).toEqual([])
    expect(further.notes.join()).toMatch(/\(m\) is counted on the last stage, with the loss, not on stage 2/)
  })
})
