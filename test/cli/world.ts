/** Runs the command with files that exist only in memory, and records what it writes. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { byServer } from '../../api/cli/by-server.ts'
import { writeText } from '../../api/cli/files.ts'
import { inProcess } from '../../api/cli/in-process.ts'
import { silent } from '../../api/cli/progress.ts'
import { shardplan } from '../../api/cli/shardplan.ts'
import { UnreadableFile } from '../../api/cli/usage-error.ts'
import { appWith } from '../http/service.ts'

export interface Run {
  readonly code: number
  readonly out: string
  readonly err: string
  readonly written: Readonly<Record<string, string>>
}

export async function run(
  args: readonly string[],
  files: Readonly<Record<string, string>> = {},
): Promise<Run> {
  const written: Record<string, string> = {}
  let [out, err] = ['', '']
  const code = await shardplan(args, {
    read: (file) => {
      const text = files[file]
      if (text === undefined) throw new UnreadableFile(`cannot read ${file}`)
      return text
    },
    write: (file, text) => {
      // A path is of the disk, as the built command has it.
      if (file.startsWith('/')) writeText(file, text)
      written[file] = text
    },
    out: (text) => {
      out += text
    },
    err: (text) => {
      err += text
    },
    width: undefined,
    asker: async (server) => (server === undefined ? inProcess(silent) : byServer(server, undefined, silent)),
    serve: async () => {},
  })
  return { code, out, err, written }
}

/** While the service of the parts listens. */
export async function listening<Result>(
  parts: Parameters<typeof appWith>[0],
  use: (origin: string) => Promise<Result>,
): Promise<Result> {
  const server = createServer(appWith(parts))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}
