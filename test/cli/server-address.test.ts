/** A service is asked with the name and password of its address, which nothing that is written repeats. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { serverAddress } from '../../api/cli/server-address.ts'
import { run } from './world.ts'

const asked = ['validate', 'a.yaml', '--report', 'junit=junit', '--report', 'sarif=sarif', '--server']
const files = { 'a.yaml': 'model: llama-3-8b\nhardware: {chip: h100-sxm, chips: 8}\n' }

it('sends them as basic authentication', async () => {
  const seen: (string | undefined)[] = []
  const server = createServer((request, response) => {
    seen.push(request.headers.authorization)
    response.end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await run([
    'plan',
    '--model',
    'llama-3-8b',
    '--chip',
    'h100-sxm',
    '--server',
    `http://me:pass%40word@127.0.0.1:${port}`,
  ]).catch(() => null)
  server.close()
  expect(seen).toEqual([`Basic ${Buffer.from('me:pass@word').toString('base64')}`])
})

it.each([
  'http://user:hushed@127.0.0.1:1',
  'http://hushed@127.0.0.1:1',
  'user:hushed@127.0.0.1',
  '//user:hushed@host',
  'ftp://user:hushed@host',
])('%s: no output has the password', async (server) => {
  const { code, out, err, written } = await run([...asked, server], files)
  expect(code).not.toBe(0)
  expect(`${out}${err}`).toMatch(/http:\/\/127.0.0.1:1 does not answer|begins with http/)
  expect(JSON.stringify([out, err, written])).not.toContain('hushed')
})

it('keeps a path, and refuses a key beside a password', () => {
  expect(serverAddress('https://host:8443/base/', 'k')).toEqual({
    ...{ origin: 'https://host:8443/base', authorization: 'Bearer k' },
  })
  expect(() => serverAddress('https://user:hushed@host', 'k')).toThrow(/SHARDPLAN_API_KEY is set/)
})
