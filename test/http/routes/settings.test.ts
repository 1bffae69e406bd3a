import { describe, expect, it } from 'vitest'
import { settingsFrom } from '../../../api/settings.ts'

describe('the settings', () => {
  it('are the defaults where the environment says nothing', () => {
    expect(settingsFrom({ PATH: '/bin' })).toEqual({
      PORT: 8080,
      HOST: '127.0.0.1',
      LOG_LEVEL: 'info',
      THREADS: 2,
      LIGHT_THREADS: 1,
      THREADS_PER_SEARCH: 1,
      MAX_QUEUE: 32,
      MAX_QUEUE_PER_CLIENT: 16,
      WORKER_MEMORY_MB: 2048,
      KEPT_ANSWERS_MB: 64,
      RATE_LIMIT_PER_MINUTE: 600,
      TRUST_PROXY: 0,
      WARM_UP: 'idle',
      HEADERS_TIMEOUT_SECONDS: 10,
      KEEP_ALIVE_SECONDS: 75,
      REQUEST_TIMEOUT_SECONDS: 20,
      UNREAD_TIMEOUT_SECONDS: 30,
      API_KEYS: [],
      METRICS_PORT: 'same',
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

  it('trust so many proxies, or those of named networks', () => {
    expect(settingsFrom({ TRUST_PROXY: '2' }).TRUST_PROXY).toBe(2)
    expect(settingsFrom({ TRUST_PROXY: 'loopback, 10.0.0.0/8,fd00::/8' }).TRUST_PROXY).toEqual([
      'loopback',
      '10.0.0.0/8',
      'fd00::/8',
    ])
  })

  it('have keys as a list, and /metrics on a port or nowhere', () => {
    const keys = ['0123456789abcdef', 'fedcba9876543210']
    expect(settingsFrom({ API_KEYS: keys.join(',') }).API_KEYS).toEqual(keys)
    expect(settingsFrom({ METRICS_PORT: '9090' }).METRICS_PORT).toBe(9090)
    expect(settingsFrom({ METRICS_PORT: 'off' }).METRICS_PORT).toBe('off')
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
    { TRUST_PROXY: 'everybody' },
    { TRUST_PROXY: '10.0.0.0/8,' },
    { API_KEYS: 'short' },
    { API_KEYS: '0123456789abcdef,' },
    { METRICS_PORT: 'elsewhere' },
  ])('%j is refused by name', (variables) => {
    expect(() => settingsFrom(variables)).toThrow(Object.keys(variables)[0])
  })
})
