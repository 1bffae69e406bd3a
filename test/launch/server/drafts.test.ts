/** What servers are told of drafts, by what drafts them, and who refuses them. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { evaluateInference } from '../../../src/evaluate-inference.ts'
import { readFrom } from '../../../src/launch/serving.ts'
import type { Speculation } from '../../../src/problem.ts'
import { serve } from '../../../src/serve.ts'
import { unitMesh } from '../../../src/sharding/axis.ts'
import { catalogueModel } from '../../catalogue.ts'
import { generation, inferenceProblem, solver } from '../../inference-problem.ts'
import { legal } from '../../legal.ts'

interface Told {
  readonly vllm: readonly string[]
  readonly sglang: readonly string[]
  readonly 'tensorrt-llm': Readonly<Record<string, unknown>>
  readonly commands: Readonly<Record<string, { readonly command: string }>>
  readonly notes: readonly string[]
}

/** As all three servers lay a model out. */
const layout = { attention: '1d/heads', mlp: '1d', unembedding: '1d' }

function launched(model: string, speculative: Speculation, stages = 1, sequences = 64) {
  const problem = inferenceProblem({
    ...{ model, chip: 'h200-sxm', chips: 8, precision: { weights: 'fp8', compute: 'fp8' } },
    workload: generation(sequences, 2048, { speculative }),
  })
  const mesh = { ...unitMesh, tensor: 8 / stages, pipeline: stages }
  const { launch } = legal(evaluateInference(problem, { mesh, layout }, solver)).plan
  return { problem, told: launch as unknown as Told }
}

/** Values behind options, by option. */
function valuesOf(words: readonly string[], ...options: readonly string[]) {
  return options.map((option) => (words.includes(option) ? words[words.indexOf(option) + 1] : null))
}

const chain = [
  ...['--speculative-algorithm', '--speculative-num-steps'],
  ...['--speculative-eagle-topk', '--speculative-num-draft-tokens'],
]

describe('servers', () => {
  it('draft by the layers that the model has for further tokens', () => {
    const { told } = launched('glm-4.5-air', { draft: { costRatio: 0.05 }, acceptance: 0.8, tokens: 3 })
    const [config] = valuesOf(told.vllm, '--speculative-config')
    expect(JSON.parse(config ?? '')).toEqual({ method: 'mtp', num_speculative_tokens: 3 })
    expect(valuesOf(told.sglang, ...chain)).toEqual(['EAGLE', '3', '1', '4'])
    expect(told['tensorrt-llm'].speculative_config).toEqual({ decoding_type: 'MTP', max_draft_len: 3 })
    expect(told.notes.join()).not.toMatch(/draft/)
  })

  it('draft by a model that the request names, as many tokens as are best where it does not say', () => {
    const release = 'meta-llama/Llama-3.2-1B-Instruct'
    const draft = catalogueModel('llama-3.2-1b')
    const { told } = launched('llama-3.3-70b', { draft, release, acceptance: 0.9 }, 1, 1)
    const [config] = valuesOf(told.vllm, '--speculative-config')
    const { model, num_speculative_tokens: tokens } = JSON.parse(config ?? '')
    expect(model).toBe(release)
    expect(tokens).toBeGreaterThan(1)
    const own = ['STANDALONE', `${tokens}`, '1', `${tokens + 1}`]
    expect(valuesOf(told.sglang, ...chain, '--speculative-draft-model-path')).toEqual([...own, release])
    expect(told['tensorrt-llm'].speculative_config).toEqual({
      ...{ decoding_type: 'Draft_Target', max_draft_len: tokens, speculative_model: release },
    })
  })

  it('draft by a model whose checkpoint a shell is told, and a file is not', () => {
    const draft = catalogueModel('llama-3.2-1b')
    const { told } = launched('llama-3.3-70b', { draft, acceptance: 0.7, tokens: 2 })
    const { vllm, sglang } = told.commands
    const word = `"\${DRAFT:?a checkpoint of llama-3.2-1b}"`
    expect(vllm?.command).toContain(` --spec-model ${word} --spec-tokens 2`)
    expect(sglang?.command).toContain(` --speculative-draft-model-path ${word}`)
    expect(told['tensorrt-llm']).not.toHaveProperty('speculative_config')
    expect(told.notes.join()).toMatch(/TensorRT-LLM is started without drafts.*llama-3.2-1b/)
  })

  it('are started without a head that nobody has named, and notes say so', () => {
    const { told } = launched('llama-3.3-70b', { draft: { costRatio: 0.1 }, acceptance: 0.7, tokens: 2 })
    expect(JSON.stringify([told.vllm, told.sglang, told['tensorrt-llm']])).not.toMatch(/specul/)
    const named = told.notes.filter((note) => note.includes('started without drafts'))
    expect(named.map((note) => note.split(' ')[0])).toEqual(['vLLM', 'SGLang', 'TensorRT-LLM'])
  })

  it('have room in a step for all that is scored, and read back as the plan that they run', () => {
    const speculative = { draft: { costRatio: 0.05 }, acceptance: 0.8, tokens: 3 }
    const { problem, told } = launched('glm-4.5-air', speculative, 1, 640)
    const sizes = valuesOf(told.vllm, '--max-num-batched-tokens', '--max-cudagraph-capture-size')
    expect(sizes).toEqual(['2560', '2560'])
    const { generate } = readFrom('vllm', told.vllm, problem, 8)
    expect(generate?.mesh).toMatchObject({ tensor: 8 })
  })

  it('are told names that they have', () => {
    const draft = catalogueModel('llama-3.2-1b')
    const { told } = launched('llama-3.3-70b', { draft, release: 'a/b', acceptance: 0.7, tokens: 2 })
    for (const name of ['vllm', 'sglang'] as const) {
      const { names } = JSON.parse(
        readFileSync(new URL(`../../../fixtures/options/${name}.json`, import.meta.url), 'utf8'),
      )
      const spoken = told[name].filter((word) => word.startsWith('--spec'))
      expect(spoken.length).toBeGreaterThan(0)
      expect(names).toEqual(expect.arrayContaining(spoken))
    }
  })
})

describe('a pipeline', () => {
  it.each([
    ['of its own layers', 'glm-4.5', { costRatio: 0.05 }],
    ['beside it', 'llama-3.3-70b', catalogueModel('llama-3.2-1b')],
  ])('drafts no tokens under SGLang, nor by a model %s under vLLM', (_which, model, draft) => {
    const { told } = launched(model, { draft, acceptance: 0.8, tokens: 2 }, 2)
    expect(JSON.stringify(told.sglang)).toContain('drafts no tokens in a pipeline')
    expect(JSON.stringify(told.vllm)).toContain('vLLM does not draft in a pipeline')
  })

  it('is not listed where SGLang alone is to launch what drafts', () => {
    const workload = {
      ...{ mode: 'serve' as const, promptLength: 512, outputLength: 100, cachedPrefixLength: 0 },
      disaggregated: 'auto' as const,
    }
    const asked = (more: object) =>
      serve(
        inferenceProblem({
          ...{ model: 'llama-3.1-8b', chip: 'h100-sxm', chips: 2, constraints: { pipeline: 2 } },
          assumptions: { basis: 'calibrated', frameworks: ['sglang'] },
          workload: { ...workload, disaggregated: false, ...more },
        }),
        solver,
      ).plans
    expect(asked({})).not.toEqual([])
    expect(asked({ speculative: { draft: { costRatio: 0.1 }, acceptance: 0.7, tokens: 2 } })).toEqual([])
  })
})
