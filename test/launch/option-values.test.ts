/** Values of options are read as the parsers of Python read them: what these refuse is a fault, and what they take is none. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readMegatron } from '../../src/launch/megatron/read/read.ts'
import { optionsOf } from '../../src/launch/read/options.ts'
import { readVllm } from '../../src/launch/vllm/read.ts'
import { forAll } from '../law.ts'

const told = (ask: (options: ReturnType<typeof optionsOf>) => unknown, ...words: readonly string[]) => {
  const options = optionsOf(words)
  return [ask(options), options.faults]
}

describe('a whole number', () => {
  it('is one with a sign or with _ between its digits, too', () => {
    forAll(100, [fc.integer({ min: 1, max: 1e9 }), fc.boolean()], (count, signed) => {
      const grouped = String(count).replace(/\B(?=(\d{3})+$)/g, '_')
      expect(told((of) => of.whole('--n'), '--n', `${signed ? '+' : ''}${grouped}`)).toEqual([count, []])
    })
  })

  it.each(['2.0', '1e2', '2.'])('is not written %s, which int() refuses', (value) => {
    const [read, faults] = told((of) => of.whole('--n'), '--n', value)
    expect(read).toBeNull()
    expect(faults).toEqual([`--n is ${value}, which is not written as a whole number: ${Number(value)} is`])
  })

  it('of nothing is no count', () => {
    expect(told((of) => of.whole('--n'), '--n', '0')).toEqual([null, ['--n is 0, which is no count']])
  })
})

describe('a number', () => {
  it.each([
    ['.9', 0.9],
    ['+.9', 0.9],
    ['5.', 5],
    ['1e-5', 1e-5],
    ['1_000.5', 1000.5],
  ])('is %s', (value, read) => {
    expect(told((of) => of.number('--n'), `--n=${value}`)).toEqual([read, []])
  })

  it.each(['1_', '_1', '1__0', 'e5', '.', '0x10'])('is not %s', (value) => {
    expect(told((of) => of.number('--n'), '--n', value)).toEqual([
      null,
      [`--n is ${value}, which is no number`],
    ])
  })
})

describe('a switch', () => {
  const refused = (option: string, word: string) =>
    `${option} takes no value, and its parser refuses the ${word} behind it`

  it('is not turned off by a word behind it', () => {
    const of = (options: string) =>
      readMegatron(`torchrun --nproc-per-node 8 pretrain_gpt.py ${options}`, 8).faults
    expect(of('--sequence-parallel False')).toContain(refused('--sequence-parallel', 'False'))
    expect(of('--overlap-grad-reduce=true')).toContain(refused('--overlap-grad-reduce', 'true'))
    expect(of('--sequence-parallel $MORE --bf16')).not.toContainEqual(expect.stringMatching('no value'))
  })

  it('may stand before what takes no option: the model of a server', () => {
    const context = { chips: 8, slices: 1, mode: 'generate', model: null }
    const { faults } = readVllm(
      'vllm serve --enforce-eager --enable-expert-parallel Qwen/Qwen3-30B-A3B',
      context,
    )
    expect(faults).not.toContainEqual(expect.stringMatching('no value'))
    expect(readVllm('vllm serve m --enable-chunked-prefill=False', context).faults).toContain(
      refused('--enable-chunked-prefill', 'False'),
    )
  })
})

it('instances of the distributed optimizer divide the ranks that reduce gradients, and have a plan under FSDP alone', () => {
  const of = (instances: number, more = '') => {
    const options = `--tensor-model-parallel-size 2 --use-distributed-optimizer --num-distributed-optimizer-instances ${instances} ${more}`
    return readMegatron(`torchrun --nproc-per-node 8 --nnodes 4 pretrain_gpt.py ${options}`, 32)
  }
  expect(of(1).uncounted).toEqual([])
  expect(of(4).uncounted).toEqual([
    expect.stringMatching(/^--num-distributed-optimizer-instances 4 shares out optimizer states/),
  ])
  expect(of(3).faults).toContain(
    '--num-distributed-optimizer-instances 3 does not divide the 16 ranks that reduce gradients together',
  )
  const fsdp = of(4, '--use-megatron-fsdp --data-parallel-sharding-strategy optim_grads_params')
  expect(fsdp).toMatchObject({ uncounted: [], plan: { mesh: { data: 4, fsdp: 4 } } })
})
