import { describe, expect, it } from 'vitest'
import { routerLaunch } from '../../../src/launch/router.ts'
import type { Start } from '../../../src/launch/start.ts'

function commandsFor(prefills: number, generates: number): Readonly<Record<string, Start>> {
  const flags = { 'tensorrt-llm': {}, sglang: {} }
  const asked = { prefill: flags, generate: flags, prefills, generates, frameworks: [] }
  return routerLaunch(asked).commands as Readonly<Record<string, Start>>
}

describe("TensorRT-LLM's router of servers whose phases are apart", () => {
  it('names each of them', () => {
    const [file] = commandsFor(3, 2)['tensorrt-llm-router']?.files ?? []
    expect(JSON.parse(file?.text ?? '')).toMatchObject({
      context_servers: { num_instances: 3, urls: ['prefill-0:8000', 'prefill-1:8000', 'prefill-2:8000'] },
      generation_servers: { num_instances: 2, urls: ['generate-0:8100', 'generate-1:8100'] },
    })
  })

  it('is not written for a million servers, a file of megabytes in each plan', () => {
    const commands = commandsFor(720_720, 1)
    expect(Object.keys(commands)).toEqual(['sglang-router'])
    expect(JSON.stringify(commands).length).toBeLessThan(1000)
  })
})
