/** A model's name from a request is only data in a command that somebody pastes into a shell. */

import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { modelWord } from '../../src/launch/server/model-word.ts'
import type { Serving } from '../../src/launch/server/serving.ts'
import { forAll, law } from '../law.ts'

const word = (name: string, checkpoint?: string) =>
  modelWord(
    {
      setting: { model: { name }, precision: { checkpoint, weights: 'bf16', compute: 'bf16' } },
    } as unknown as Serving,
    { pairs: [], caches: {} },
  )

const read = (words: readonly string[]) =>
  execFileSync('bash', ['-euc', `printf '%s\\0' ${words.join(' ')}`], {
    env: { PATH: process.env.PATH, MODEL: 'mine' },
  })
    .toString()
    .split('\0')
    .slice(0, -1)

/** With every sign that a shell reads something into. */
const names = fc.string({
  unit: fc.constantFrom(...'ab/. -$(){}[]`"\'\\;|&<>!#~*?\n'),
  minLength: 1,
  maxLength: 12,
})

describe('the word for a checkpoint in the command of a server', () => {
  it('is what the shell has in MODEL, whatever the model is called', () => {
    const called = ['x$(touch zzz)', 'x}"; touch zzz; echo "', '`touch zzz`', 'Llama 3 70B']
    forAll(5, [fc.array(names, { minLength: 20, maxLength: 20 })], (drawn) => {
      const all = [...called, ...drawn]
      expect(read(all.map((name) => word(name)))).toEqual(all.map(() => 'mine'))
    })
  })

  law(
    'is the checkpoint to the letter, where one is known',
    5,
    [fc.array(names, { minLength: 20, maxLength: 20 })],
    (drawn) => {
      expect(read(drawn.map((name) => word('a model', name)))).toEqual(drawn)
    },
  )

  it('says what is missing where nothing is in MODEL', () => {
    expect(word('llama-3-70b')).toContain('a checkpoint of llama-3-70b')
  })
})
