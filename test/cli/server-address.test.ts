/** A service is asked with the name and password of its address, which nothing that is written repeats. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { serverAddress } from '../../api/cli/server-address.ts'
import { run } from './world.ts'

const asked = ['validate', 'a.yaml', '--report', 'junit=junit', '--report', 'sarif=sarif', '--server']
const files = { 'a.yaml': 'model: llama-3-8b\nhardware: {chip: h100-sxm, chips: 8}\n' }

interface Heard {
  readonly url: string | undefined
  readonly authorization: string | undefined
}

/** What a service hears that is asked for a plan at such an address, which has PORT for its port. */
async function heardAt(address: string): Promise<readonly Heard[]> {
  const heard: Heard[] = []
  const server = createServer(({ url, headers: { authorization } }, response) => {
    heard.push({ url, authorization })
    response.end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const at = address.replace('PORT', `${port}`)
  await run(['plan', '--model', 'llama-3-8b', '--chip', 'h100-sxm', '--server', at]).catch(() => null)
  server.close()
  return heard
}

it('sends them as basic authentication', async () => {
  const heard = await heardAt('http://me:pass%40word@127.0.0.1:PORT')
  expect(heard.map(({ authorization }) => authorization)).toEqual([
    `Basic ${Buffer.from('me:pass@word').toString('base64')}`,
  ])
})

it.each(['', '/base', '/base//', '/base?a=b#c'])('asks under the path of the address: %s', async (path) => {
  const [heard] = await heardAt(`http://127.0.0.1:PORT${path}`)
  expect(heard?.url).toBe(path === '' ? '/optimize' : '/base/optimize')
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
