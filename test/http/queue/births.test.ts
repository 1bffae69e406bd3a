/** Places of threads that were ended, as their replacements start or do not. */
import { EventEmitter } from 'node:events'
import type { Piscina } from 'piscina'
import { describe, expect, it } from 'vitest'
import { createBirths } from '../../../api/queue/births.ts'

const made = () => {
  const workers = new EventEmitter()
  const births = createBirths(workers as unknown as Pick<Piscina, 'on'>)
  const freed: string[] = []
  const end = (place: string) => births.whenBorn(() => void freed.push(place))
  return { workers, births, freed, end }
}

describe('the place of a search that has ended', () => {
  it('is free at once where its thread lives', () => {
    const { workers, freed, end } = made()
    workers.emit('workerCreate')
    end('a')
    expect(freed).toEqual(['a'])
  })

  it('waits for a new thread where the old one was ended, and another place does not wait longer for it', () => {
    const { workers, freed, end } = made()
    workers.emit('workerDestroy')
    end('a')
    end('b')
    expect(freed).toEqual(['a'])
    workers.emit('workerDestroy')
    workers.emit('workerCreate')
    expect(freed).toEqual(['a'])
    workers.emit('workerCreate')
    expect(freed).toEqual(['a', 'b'])
  })

  it('does not wait for threads that cannot be started', () => {
    const { workers, births, freed, end } = made()
    for (const place of ['a', 'b']) {
      workers.emit('workerDestroy')
      end(place)
    }
    expect(freed).toEqual([])
    births.giveUp()
    expect(freed).toEqual(['a', 'b'])
  })
})
