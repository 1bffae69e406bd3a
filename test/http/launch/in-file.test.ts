/** What a change means in a launch file: the file with the settings that are told is read as the changed request. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { changed } from '../../../api/hints/change.ts'
import type { InFile } from '../../../src/launch/in-file.ts'
import type { Change } from '../../../src/rules/part-rule.ts'
import { runs } from '../../runs.ts'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const agent = service({ search: planning })

interface Published {
  readonly name: string
  readonly request: object
  readonly key: string
  readonly file: string
}

const { files } = JSON.parse(readFileSync('fixtures/launch-files.json', 'utf8')) as {
  readonly files: readonly Published[]
}

async function asked(path: string, body: object) {
  const { status, body: answer, text } = await agent.post(path).send(body)
  expect(status, text.slice(0, 500)).toBe(200)
  return answer
}

/** The text with settings taken away, and others put in their place or at the end. */
function edited(text: string, { set, unset }: InFile): string {
  const without = unset.reduce((rest, setting) => rest.replace(placeOf(setting), ' '), text)
  return set.reduce((rest, setting) => {
    const place = placeOf(setting)
    return place.test(rest) ? rest.replace(place, ` ${setting}`) : `${rest.trimEnd()} ${setting}`
  }, without)
}

function placeOf(setting: string): RegExp {
  const [name = ''] = setting.split(/[ =]/)
  return new RegExp(name.startsWith('--') ? `\\s${name}(?= |$)( (?!--)[^\\s]+)*` : `\\s${name}=\\S*`)
}

const rows = [
  ['Megatron 1T of the SC21 paper', 0.45],
  ['Llama 2 70B under MaxText on v5p', 0.1],
] as const

describe('a change of a launch file', () => {
  it.each(rows)('of %s, as its settings are told, is read as the changed request', async (name, fraction) => {
    const published = files.find((file) => file.name === name)
    if (!published) throw new Error(`there is no ${name}`)
    const { request, key, file } = published
    const own = { ...request, memoryBudget: { fraction } }
    const answer = await asked('/evaluate', { ...own, plan: { [key]: file } })
    const told = (
      answer.suggestions as readonly (Change & { also?: readonly Change[]; inFile?: InFile })[]
    ).filter(({ inFile }) => inFile)
    expect(told.length).toBeGreaterThan(0)
    for (const { pointer, value, also = [], inFile } of told.slice(-runs(1))) {
      const after = changed(answer, [{ pointer, value }, ...also]) as typeof answer
      const { plan } = await asked('/evaluate', after.read.request)
      const again = await asked('/evaluate', {
        ...own,
        hardware: after.read.request.hardware,
        plan: { [key]: edited(file, inFile as InFile) },
      })
      expect(again.plan.feasible).toBe(true)
      expect(again.plan.summary).toBe(plan.summary)
      expect(again.plan.stepTimeSeconds).toBeCloseTo(plan.stepTimeSeconds, 9)
    }
  })
})

/** A torchtitan file with settings in their sections, in place of what these say. */
function editedToml(text: string, { set }: InFile): string {
  return set.reduce((rest, setting) => {
    const [, section = '', line = '', key = ''] = /^(\w+)\.((\w+) = .*)$/.exec(setting) ?? []
    const place = new RegExp(`^${key} = .*$`, 'm')
    return place.test(rest)
      ? rest.replace(place, line)
      : rest.replace(`[${section}]`, `[${section}]\n${line}`)
  }, text)
}

const unsaid = {
  torchtitan: `[model]
name = "llama3"
flavor = "8B"
[training]
local_batch_size = 6
seq_len = 8192
[parallelism]
data_parallel_shard_degree = -1
[activation_checkpoint]
mode = "none"`,
  megatron:
    'torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 --ffn-hidden-size 14336 --num-attention-heads 32 --seq-length 8192 --max-position-embeddings 8192 --micro-batch-size 6 --swiglu --untie-embeddings-and-output-weights --vocab-size 32000 --bf16 --use-distributed-optimizer --overlap-grad-reduce --overlap-param-gather',
} as const

it.each([
  ['torchtitan', unsaid.torchtitan, editedToml],
  [
    'torchtitan',
    unsaid.torchtitan.replace('seq_len', 'global_batch_size = -1\nseq_len').replace('= 6', '= 12'),
    editedToml,
  ],
  ['megatron', unsaid.megatron, edited],
] as const)('a batch that a file of %s leaves to follow from others stays as it is', async (key, file, edit) => {
  const own = { hardware: { chip: 'h100-sxm', chips: 8 } }
  const answer = await asked('/evaluate', { ...own, plan: { [key]: file } })
  const told = (
    answer.suggestions as readonly (Change & { also?: readonly Change[]; inFile?: InFile })[]
  ).filter(({ inFile }) => inFile)
  const divided = told.filter(({ inFile }) => inFile?.set.some((text) => /(local_|micro-)batch/.test(text)))
  expect(divided.length).toBeGreaterThan(0)
  for (const { pointer, value, also = [], inFile } of told) {
    const after = changed(answer, [{ pointer, value }, ...also]) as typeof answer
    const { plan } = await asked('/evaluate', after.read.request)
    const again = await asked('/evaluate', {
      hardware: after.read.request.hardware,
      plan: { [key]: edit(file, inFile as InFile) },
    })
    expect(again.read.request.workload.batchSequences).toBe(answer.read.request.workload.batchSequences)
    expect(again.plan.stepTimeSeconds).toBeCloseTo(plan.stepTimeSeconds, 9)
  }
})

interface Told {
  readonly pointer: string
  readonly inFile?: InFile
}

async function suggestedFor(body: object): Promise<readonly Told[]> {
  const { suggestions } = await asked('/evaluate', body)
  return suggestions
}

it('a change onto more hosts than the file starts is not told as settings; others are', async () => {
  const vllm =
    'vllm serve meta-llama/Llama-3.1-70B-Instruct --tensor-parallel-size 2 --max-num-seqs 512 --max-model-len 16384 --gpu-memory-utilization 0.96'
  const suggestions = await suggestedFor({
    workload: { mode: 'generate', batchSequences: 512, meanContextLength: 8192 },
    hardware: { chip: 'h100-sxm', chips: 2 },
    plan: { vllm },
  })
  const more = suggestions.find(({ pointer }) => pointer.endsWith('/hardware/chips'))
  expect(more).toBeDefined()
  expect(more?.inFile).toBeUndefined()
  const fewer = suggestions.find(({ pointer }) => pointer.endsWith('/workload/batchSequences'))
  expect(fewer?.inFile?.set).toHaveLength(1)
  expect(JSON.stringify(suggestions)).not.toContain('headless')
})

const ofMegatron =
  `torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 --ffn-hidden-size 11008
  --num-attention-heads 32 --seq-length 4096 --max-position-embeddings 4096 --micro-batch-size 4 --global-batch-size 64
  --tensor-model-parallel-size 4 --swiglu --untie-embeddings-and-output-weights --vocab-size 32000 --bf16
  --use-distributed-optimizer --overlap-grad-reduce --overlap-param-gather`.replaceAll('\n', ' ')

it.each([
  '--recompute-activations',
  '--recompute-granularity selective',
])('what is to be taken away is what the file has: %s', async (recomputation) => {
  const megatron = `${ofMegatron} ${recomputation}`
  const suggestions = await suggestedFor({
    hardware: { chip: 'h100-sxm', chips: 8 },
    memoryBudget: { fraction: 0.35 },
    plan: { megatron },
  })
  const told = suggestions.flatMap(({ inFile }) => inFile ?? [])
  const recomputed = told.filter(({ set }) => set.some((text) => text.startsWith('--recompute-')))
  expect(recomputed.length).toBeGreaterThan(0)
  for (const { unset } of told) for (const text of unset) expect(megatron).toContain(text.split(' ')[0])
  for (const { unset } of recomputed)
    expect(unset.includes('--recompute-activations')).toBe(megatron.includes('--recompute-activations'))
})
