#!/usr/bin/env node
/** The composition root of the command: files, streams, and who answers. */
import { writeSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { byServer } from './by-server.ts'
import { readText, writeText } from './files.ts'
import { silent, telling } from './progress.ts'
import { shardplan } from './shardplan.ts'
import type { World } from './world.ts'

const { stdout, stderr } = process

// Writes synchronously: the stream would wait for the event loop, which does not turn while this thread searches.
const begin = stderr.isTTY
  ? telling(
      (text) => void writeSync(stderr.fd, text),
      () => performance.now(),
    )
  : silent

const world: World = {
  read: readText,
  write: writeText,
  out: (text) => void stdout.write(text),
  err: (text) => void stderr.write(text),
  width: stdout.isTTY ? stdout.columns : undefined,
  // The search is loaded only when needed, so that --help is quick.
  asker: async (server) =>
    server === undefined
      ? (await import('./in-process.ts')).inProcess(begin)
      : byServer(server, process.env.SHARDPLAN_API_KEY, begin),
  serve: async () => void (await import('../main.ts')),
}

// The reader may stop early: `shardplan plan … | head`.
stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})

process.exitCode = await shardplan(process.argv.slice(2), world)
