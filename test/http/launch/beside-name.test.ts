/** Dimensions beside the name of a model, as MaxText takes them: pyconfig.py @e591f30. */
import { expect, it } from 'vitest'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const agent = service({ search: planning })
const start = 'python3 -m MaxText.train MaxText/configs/base.yml model_name='
const sizes = 'per_device_batch_size=2 max_target_length=8192 remat_policy=full'

async function asked(maxtext: string, own: Record<string, unknown> = {}, path = '/validate') {
  const { status, body } = await agent.post(path).send({
    ...{ hardware: { chip: 'tpu-v5p', topology: [4, 4, 8] }, workload: { mode: 'train' }, plan: { maxtext } },
    ...own,
  })
  const check = body.checks?.find(({ name }: { name: string }) => name === 'launchableBy')
  return { status, body, model: body.read?.request.model, check, notes: String(body.read?.notes) }
}

it('takes the place of what the named model has where the command overrides its config', async () => {
  const found = await asked(
    `${start}llama3.1-70b ${sizes} override_model_config=true base_num_decoder_layers=40`,
  )
  expect(found.model).toMatchObject({ layers: 40, dModel: 8192, kvHeads: 8, vocab: 128256 })
  expect(found.notes).toMatch(/base_num_decoder_layers=40 beside llama3.1-70b: .*in place of/)
  expect(found.check.ok).toBe(true)
  const whole = await asked(`${start}llama3.1-70b ${sizes}`)
  const share = found.body.plan.stepTimeSeconds / whole.body.plan.stepTimeSeconds
  expect(share).toBeGreaterThan(0.5)
  expect(share).toBeLessThan(0.55)
})

it.each([
  ['gemma2-9b', 'base_num_decoder_layers=11', { layers: 22 }],
  ['mixtral-8x7b', 'num_experts=16', { moe: { experts: 16, activeExperts: 2 } }],
  [
    'deepseek3-671b',
    'first_num_dense_layers=1 base_num_decoder_layers=30',
    { layers: 30, moe: { denseLayers: 1 } },
  ],
  ['deepseek3-671b', 'kv_lora_rank=256', { attention: { mla: { keyValueRank: 256, nopeHeadDim: 128 } } }],
  [
    'llama3.1-8b',
    'mlp_activations=["gelu"] logits_via_embedding=true',
    { gatedMlp: false, tiedEmbeddings: true },
  ],
])('reads of %s %s', async (name, words, model) => {
  const found = await asked(`${start}${name} ${sizes} override_model_config=true ${words}`, {}, '/evaluate')
  expect(found.model).toMatchObject(model)
})

it.each([
  'base_num_decoder_layers=40',
  'base_emb_dim=4096',
  'head_dim=64 base_num_query_heads=128',
])('stops MaxText without the override: %s', async (words) => {
  const { check, model } = await asked(`${start}llama3.1-70b ${sizes} ${words}`)
  expect([check.ok, check.actual, model]).toEqual([false, 'a file that is refused', 'llama3.1-70b'])
  expect(check.message).toMatch(/override_model_config=true/)
})

it.each([
  ['the same', `${start}llama3.1-70b ${sizes} base_num_decoder_layers=80 vocab_size=128256`],
  [
    "a file's own key, which the model's config comes before",
    'model_name: llama3.1-70b\nbase_num_decoder_layers: 40\nper_device_batch_size: 2\n',
  ],
])('keeps the model with %s', async (_, file) => {
  const { check, model } = await asked(file)
  expect([check.ok, model]).toEqual([true, 'llama3.1-70b'])
})

it('is held against what the request says', async () => {
  const file = `${start}llama3.1-70b ${sizes} override_model_config=true base_num_decoder_layers=40`
  const { status, body } = await asked(file, { model: 'llama-3.1-70b' })
  expect([status, body.errors[0].detail]).toEqual([
    422,
    'llama-3.1-70b has layers 80; the launch file has 40',
  ])
})
