/** A sweep gives back what nobody holds any more. */
import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { sweep } from '../../../api/worker/sweep.ts'

it('what nobody holds is gone after a sweep, and what somebody holds is not', async () => {
  const held = { of: 'a search' }
  const [holding, left] = [new WeakRef(held), new WeakRef({ of: 'another' })]
  // What a weak reference has been made of lives until the end of its turn.
  await turn()
  sweep()
  expect(left.deref()).toBeUndefined()
  expect(holding.deref()).toBe(held)
})

it('a heap that has grown by less than asked is left as it is', async () => {
  sweep()
  const left = new WeakRef({ of: 'a search' })
  await turn()
  sweep(1e9)
  expect(left.deref()).toBeDefined()
  await turn()
  sweep()
  expect(left.deref()).toBeUndefined()
})
