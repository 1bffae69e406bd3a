import { describe, expect, it } from 'vitest'
import { settingsFrom } from '../../api/settings.ts'

describe('the settings', () => {
  it('are the defaults where the environment says nothing', () => {
    expect(settingsFrom({ PATH: '/bin' })).toEqual({
      PORT: 8080,
      HOST: '127.0.0.1',
      LOG_LEVEL: 'info',
      THREADS: 2,
      MAX_QUEUE: 32,
      WORKER_MEMORY_MB: 1024,
      RATE_LIMIT_PER_MINUTE: 600,
      TRUST_PROXY: 0,
      HEADERS_TIMEOUT_SECONDS: 10,
      REQUEST_TIMEOUT_SECONDS: 20,
      DRAIN_SECONDS: 30,
    })
  })

  it('are what the environment says', () => {
    expect(settingsFrom({ PORT: '9000', THREADS: '4', LOG_LEVEL: 'warn' })).toMatchObject({
      PORT: 9000,
      THREADS: 4,
      LOG_LEVEL: 'warn',
    })
  })

  it.each([
    { PORT: '70000' },
    { PORT: 'x' },
    { THREADS: '0' },
    { MAX_QUEUE: '-1' },
    { LOG_LEVEL: 'loud' },
    { PORT: '' },
    { HOST: '' },
    { THREADS: ' ' },
    { RATE_LIMIT_PER_MINUTE: '' },
    { MAX_QUEUE: '1e3' },
  ])('%j is refused by name', (variables) => {
    expect(() => settingsFrom(variables)).toThrow(Object.keys(variables)[0])
  })
})
