/** Commands of servers whose phases are apart, as a shell runs them: each has its own chips and ports, and an address that other hosts reach. */
import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import type { ServeWorkload } from '../../../src/problem.ts'
import { serve } from '../../../src/serve.ts'
import { inferenceProblem, solver } from '../../inference-problem.ts'

const stand = ['vllm', 'python3', 'trtllm-serve']
  .map((name) => {
    const own = ['CUDA_VISIBLE_DEVICES', 'VLLM_NIXL_SIDE_CHANNEL_HOST', 'VLLM_NIXL_SIDE_CHANNEL_PORT']
    return `${name}() { echo "${own.map((variable) => `$${variable}`).join('|')}|$*"; }`
  })
  .join('; ')

interface Told {
  readonly devices: readonly number[]
  readonly host: string
  readonly ports: readonly string[]
  readonly words: string
}

/** What the server at such a place of its host is told. */
function toldAt(place: number, command: string): Told {
  const env = { PATH: process.env.PATH, SLURM_LOCALID: `${place}`, HOST_IP: '10.0.0.7', MODEL: 'm' }
  const line = execFileSync('bash', ['--norc', '-c', `${stand}; ${command}`], {
    env,
    encoding: 'utf8',
  }).trim()
  const [devices = '', host = '', side = '', words = ''] = line.split('|')
  const ports = [...words.matchAll(/port (\d+)/g)].flatMap(([, port]) => port ?? [])
  return {
    devices: devices.split(',').map(Number),
    host,
    ports: side === '' ? ports : [side, ...ports],
    words,
  }
}

const [plan] = serve(
  inferenceProblem<ServeWorkload>({
    ...{ model: 'llama-3-70b', chip: 'h100-sxm', chips: 16, assumptions: 'calibrated' },
    precision: { weights: 'fp8', compute: 'fp8', kvCache: 'fp8' },
    workload: {
      ...{ mode: 'serve', promptLength: 2048, cachedPrefixLength: 0, outputLength: 256 },
      disaggregated: true,
    },
  }),
  solver,
).plans

const phases = ['prefill', 'generate'] as const

function commandOf(phase: (typeof phases)[number], framework: string): string {
  const { commands = {} } = plan?.[phase].launch as { commands?: Record<string, { command: string }> }
  return commands[framework]?.command ?? ''
}

function chipsOf(phase: (typeof phases)[number]): number {
  return Object.values(plan?.[phase].mesh ?? {}).reduce((all, size) => all * size, 1)
}

describe.each(['vllm', 'sglang', 'tensorrt-llm'])('a server of %s on a host with others', (framework) => {
  const servers = phases.map((phase) =>
    Array.from({ length: Math.floor(8 / chipsOf(phase)) }, (_, place) =>
      toldAt(place, commandOf(phase, framework)),
    ),
  )

  it('has chips of its own', () => {
    expect(servers.map(({ length }) => length)).toEqual([
      expect.toSatisfy(several),
      expect.toSatisfy(several),
    ])
    for (const own of servers) {
      const taken = own.flatMap(({ devices }) => devices).sort((a, b) => a - b)
      expect(taken).toEqual(Array.from(taken, (_, chip) => chip))
      expect(taken.length).toBe(8)
    }
  })

  it('has ports of its own, whichever phase the others have', () => {
    const ports = servers.flat().flatMap((told) => told.ports)
    expect(ports.length).toBeGreaterThanOrEqual(servers.flat().length)
    expect(new Set(ports).size).toBe(ports.length)
  })

  it('is reached from other hosts', () => {
    for (const { host, words } of servers.flat()) {
      if (framework === 'vllm') expect(host).toBe('10.0.0.7')
      else expect(words).toContain('--host 0.0.0.0')
    }
  })
})

function several(count: number): boolean {
  return count > 1
}
