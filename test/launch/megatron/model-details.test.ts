/**
 * Details of a model that cost nothing are passed to Megatron-LM as its own examples of that model do, and are read
 * from any config.json.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { loadCatalogue } from '../../../api/catalogue.ts'
import { evaluate } from '../../../src/evaluate.ts'
import type { Framework } from '../../../src/launch/framework.ts'
import { detailNote } from '../../../src/launch/megatron/details.ts'
import { readMegatron } from '../../../src/launch/megatron/read/read.ts'
import type { Run } from '../../../src/launch/run/run.ts'
import { detailsIn } from '../../../src/model/details.ts'
import { importHuggingFace } from '../../../src/model/hugging-face/import.ts'
import { launched } from '../../golden/launched-plan.ts'
import { problem } from '../../problem.ts'
import { refusedValues } from './values.ts'

/**
 * Of NVIDIA/Megatron-LM core_v0.19.0, examples/post_training/modelopt/conf/<owner>/<name>.sh, for Mixtral examples/mixtral; of DeepSeek-V3 and V2
 * yanring/Megatron-MoE-ModelZoo @e8650517d6, model_configs/benchmarking. What is left out there: rates, data, layouts, and options that say a default.
 */
const published = {
  'deepseek-v3':
    '--rotary-base 10000 --rotary-scaling-factor 40 --mscale 1.0 --mscale-all-dim 1.0 --normalization RMSNorm --norm-epsilon 1e-6 --swiglu --qk-layernorm --disable-bias-linear --untie-embeddings-and-output-weights --multi-latent-attention --q-lora-rank 1536 --kv-lora-rank 512 --qk-head-dim 128 --qk-pos-emb-head-dim 64 --v-head-dim 128 --num-experts 256 --moe-ffn-hidden-size 2048 --moe-shared-expert-intermediate-size 2048 --moe-router-load-balancing-type seq_aux_loss --moe-router-topk 8 --moe-aux-loss-coeff 1e-4 --moe-router-num-groups 8 --moe-router-group-topk 4 --moe-router-topk-scaling-factor 2.5 --moe-router-score-function sigmoid --moe-router-enable-expert-bias --moe-router-dtype fp32 --moe-grouped-gemm --moe-permute-fusion --cross-entropy-loss-fusion',
  'deepseek-v2':
    '--rotary-base 10000 --rotary-scaling-factor 40 --mscale 0.707 --mscale-all-dim 0.707 --norm-epsilon 1e-6 --qk-layernorm --moe-router-pre-softmax --moe-router-num-groups 8 --moe-router-group-topk 3 --moe-router-topk-scaling-factor 16.0 --moe-router-load-balancing-type seq_aux_loss --moe-aux-loss-coeff 1e-3',
  'deepseek-v2-lite':
    '--rotary-scaling-factor 40 --mscale 0.707 --mscale-all-dim 0.707 --norm-epsilon 1e-6 --qk-layernorm --moe-router-pre-softmax --moe-router-load-balancing-type seq_aux_loss --moe-aux-loss-coeff 1e-3',
  'kimi-k2':
    '--rotary-base 50000 --rotary-scaling-factor 32 --mscale 1.0 --mscale-all-dim 1.0 --norm-epsilon 1e-6 --qk-layernorm --moe-router-topk-scaling-factor 2.827 --moe-router-score-function sigmoid --moe-router-enable-expert-bias --moe-router-load-balancing-type seq_aux_loss',
  'llama-3.1-8b':
    '--rotary-base 500000 --use-rope-scaling --normalization RMSNorm --swiglu --disable-bias-linear',
  'llama-3.2-1b': '--rotary-base 500000 --use-rope-scaling --rope-scaling-factor 32 --normalization RMSNorm',
  'qwen2.5-7b': '--rotary-base 1000000 --add-qkv-bias --disable-bias-linear --normalization RMSNorm --swiglu',
  'qwen3-8b': '--rotary-base 1000000 --qk-layernorm --disable-bias-linear',
  'qwen3-30b-a3b':
    '--rotary-base 1000000 --qk-layernorm --kv-channels 128 --moe-aux-loss-coeff 1e-3 --norm-epsilon 1e-06 --moe-ffn-hidden-size 768',
  'qwen2-57b-a14b': '--rotary-base 1000000 --add-qkv-bias --norm-epsilon 1e-06 --moe-router-pre-softmax',
  'mixtral-8x7b':
    '--rotary-base 1000000 --normalization RMSNorm --swiglu --moe-router-topk 2 --moe-grouped-gemm',
  'nemotron-3-nano-30b-a3b':
    '--moe-permute-fusion --use-fused-weighted-squared-relu --cross-entropy-loss-fusion --moe-router-score-function sigmoid --moe-grouped-gemm --num-experts 128 --moe-router-topk 6 --moe-aux-loss-coeff 1e-4 --moe-router-topk-scaling-factor 2.5 --moe-router-enable-expert-bias --moe-router-dtype fp32 --moe-router-load-balancing-type seq_aux_loss --moe-shared-expert-intermediate-size 3712 --mamba-num-heads 64 --mamba-head-dim 64 --hybrid-layer-pattern MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME --untie-embeddings-and-output-weights --disable-bias-linear --position-embedding-type none --squared-relu --hidden-size 2688 --num-attention-heads 32 --group-query-attention --num-query-groups 2 --ffn-hidden-size 1856 --kv-channels 128 --normalization RMSNorm',
  'nemotron-3-super-120b-a12b':
    '--use-fused-weighted-squared-relu --num-experts 512 --moe-router-topk 22 --moe-router-topk-scaling-factor 5.0 --moe-shared-expert-intermediate-size 5376 --moe-latent-size 1024 --is-hybrid-model --mamba-num-heads 128 --mamba-head-dim 64 --hidden-size 4096 --num-query-groups 2 --ffn-hidden-size 2688 --position-embedding-type none',
  'gpt-oss-120b':
    '--rotary-base 150000 --quick-geglu --glu-linear-offset 1.0 --softmax-type learnable --window-attn-skip-freq 2 --activation-func-clamp-value 7.0 --window-size 127,0 --normalization RMSNorm',
} as const

/** Options that are left out where they say what Megatron-LM takes anyhow. */
const defaults: Readonly<Record<string, string>> = { '--rotary-base': '10000' }

function told(name: string): readonly string[] {
  const { experts } = problem({ ...asked, model: name }).model
  const mesh = experts ? { expert: 8, fsdp: 8 } : { fsdp: 64 }
  const { megatron } = launched({ ...asked, model: name }, { mesh, zeroStage: 3, policies: ['full'] })
  if (!Array.isArray(megatron)) throw new Error(JSON.stringify(megatron))
  return megatron
}

const asked = {
  model: 'llama-3-8b',
  chip: 'h100-sxm',
  chips: 64,
  batchTokens: 64 * 4096,
  sequenceLength: 4096,
}

describe('Megatron-LM is told of a model', () => {
  it.each(Object.entries(published))('%s what its published commands say', (name, line) => {
    const flags = told(name)
    const words = line.split(' ')
    for (const [at, option] of words.entries()) {
      if (!option.startsWith('--')) continue
      const value = words[at + 1]
      const hasValue = value !== undefined && !value.startsWith('--')
      const where = flags.indexOf(option)
      if (where < 0) expect([option, value]).toEqual([option, defaults[option]])
      else if (hasValue && Number.isFinite(Number(value)))
        expect([option, Number(flags[where + 1])]).toEqual([option, Number(value)])
      else if (hasValue) expect([option, flags[where + 1]]).toEqual([option, value])
    }
  })

  it.each(Object.keys(published))('%s in values that its parser takes', (name) => {
    expect(refusedValues(told(name).map(String)).refused).toEqual([])
  })

  it('and of it alone, so that who asks for torchtitan only reads nothing of it', () => {
    const notes = (...frameworks: readonly Framework[]) => {
      const assumptions = { basis: 'calibrated', frameworks } as const
      const question = { ...asked, model: 'llama-3.1-8b', assumptions }
      return launched(question, { mesh: { fsdp: 64 }, zeroStage: 3, policies: ['full'] }).notes
    }
    expect(JSON.stringify(notes('torchtitan'))).not.toMatch(/Megatron/)
    expect(JSON.stringify(notes('torchtitan', 'megatron'))).toMatch(/Megatron-LM alone/)
  })

  it('that nobody says more of than its dimensions that defaults run, where these may be others', () => {
    const { details: _, ...plain } = problem(asked).model
    const { megatron, notes } = launched({ ...asked, model: plain }, { mesh: { fsdp: 64 }, zeroStage: 3 })
    expect(megatron).not.toContain('--rotary-base')
    expect(notes).toContainEqual(expect.stringContaining('"huggingFace"'))
    expect(
      launched({ ...asked, model: 'gpt-3-13b', sequenceLength: 2048 }, { mesh: { fsdp: 64 }, zeroStage: 3 })
        .notes,
    ).not.toContainEqual(expect.stringContaining('"huggingFace"'))
    expect(
      launched({ ...asked, model: 'gemma-2-9b' }, { mesh: { fsdp: 64 }, zeroStage: 3 }).notes,
    ).toContainEqual(expect.stringMatching(/no option for .*caps of logits.*Megatron Bridge/))
  })
})

describe('what costs nothing', () => {
  const catalogue = loadCatalogue()

  it('costs nothing: a plan takes as long, and as much memory, without', () => {
    for (const model of ['deepseek-v3', 'llama-3.1-8b', 'gpt-oss-120b']) {
      const question = problem({ ...asked, model })
      const { details, ...plain } = question.model
      expect(details).toBeDefined()
      const sketch = {
        mesh: { ...unit, ...(question.model.experts ? { expert: 8, fsdp: 8 } : { fsdp: 64 }) },
      }
      const figures = [question, { ...question, model: plain }].map((own) => {
        const found = evaluate(own, sketch, unsolved)
        return 'plan' in found ? [found.plan.stepTimeSeconds, found.plan.memoryBytes] : found
      })
      expect(figures[1]).toEqual(figures[0])
    }
  })

  it('is read of a config.json as the catalogue has it, and of whatever it says', () => {
    const folder = new URL('../../../fixtures/hugging-face/', import.meta.url)
    let same = 0
    for (const file of readdirSync(folder)) {
      const { config, model } = JSON.parse(readFileSync(new URL(file, folder), 'utf8'))
      const found = importHuggingFace(config)
      const imported = found.status === 'imported' ? found.transformer.details : undefined
      const known = catalogue.models.get(model)?.transformer.details
      // A model that sees turns its positions further.
      if (!known || !imported || file.includes('-vl-')) continue
      const { base } = imported.rotary ?? {}
      expect([file, base, imported.queryKeyNorm]).toEqual([file, known.rotary?.base, known.queryKeyNorm])
      same++
    }
    expect(same).toBeGreaterThan(25)
    const odd = { rope_theta: 'large', rope_scaling: [1], rms_norm_eps: null, num_experts_per_tok: '8' }
    expect(detailsIn(odd)).toBeNull()
    expect(detailsIn({ ...odd, rms_norm_eps: 1e-6, model_type: 7 })?.router).toBeNull()
  })
})

const unit = { data: 1, fsdp: 1, tensor: 1, tensor2: 1, context: 1, expert: 1, pipeline: 1 }

const unsolved = () => ({ status: 'unsolved', reason: 'crashed' }) as const

it('what a family has of its own is told where its config says neither positions nor norms', () => {
  const config = {
    ...{ model_type: 'gemma2', num_hidden_layers: 46, hidden_size: 4608, intermediate_size: 36864 },
    ...{ num_attention_heads: 32, num_key_value_heads: 16, head_dim: 128, vocab_size: 256000 },
    hidden_activation: 'gelu_pytorch_tanh',
  }
  expect(detailsIn({ ...config, model_type: 'llama' })).toBeNull()
  expect(detailsIn(config)).toMatchObject({
    norm: null,
    peculiar: ['norms after attention and MLP', 'caps of logits'],
  })
  const found = importHuggingFace(config)
  const transformer = 'transformer' in found ? found.transformer : null
  const note = detailNote({ model: transformer } as Run) ?? ''
  expect(note).toMatch(/what its norms .* are .* A whole config\.json/)
  expect(note).toMatch(
    /no option for an MLP gated by gelu_pytorch_tanh.*norms after attention.*caps of logits/,
  )
})

describe('an MLP with a squared ReLU', () => {
  it.each([
    'nemotron-4-15b',
    'nemotron-4-340b',
    'nemotron-h-56b',
  ])('has no biases to fuse it with: %s', (name) => {
    const said = told(name)
    expect(said).toEqual(expect.arrayContaining(['--squared-relu', '--disable-bias-linear']))
    expect(
      readMegatron(`torchrun pretrain_gpt.py ${said.map((one) => `'${one}'`).join(' ')}`, 64).faults,
    ).toEqual([])
  })

  it('leaves biases to the older models that have them', () => {
    expect(told('starcoder2-15b')).not.toContain('--disable-bias-linear')
  })
})

describe('attention sinks', () => {
  it('go over context only where heads are exchanged for positions', () => {
    const over = (contextLayout: 'gather' | 'ring' | 'ulysses', model = 'gpt-oss-120b') => {
      const mesh = { fsdp: 8, expert: 4, context: 2 }
      return launched({ ...asked, model }, { mesh, zeroStage: 3, policies: ['full'], contextLayout }).megatron
    }
    expect(over('ulysses')).toEqual(expect.arrayContaining(['--softmax-type', 'a2a']))
    expect(JSON.stringify(over('gather'))).toMatch(/unsupported.*attention sinks over context/)
    expect(JSON.stringify(over('ring'))).toMatch(/unsupported.*attention sinks over context/)
    expect(over('gather', 'qwen3-30b-a3b')).toContain('all_gather')
  })
})
