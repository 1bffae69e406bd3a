/**
 * `dist`: every module by itself, and the command and what a thread of the service loads in a few files, as Node takes longer to find and
 * compile 600 modules than a small answer takes. It is built beside itself and then put in its place: a service that runs from it, or another build, never finds it half
 * done, and it is away for no longer than a rename takes.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { build } from 'esbuild'
import { holdClosures } from './build/held-closures.mjs'

const place = 'dist'
const scratch = mkdtempSync('.dist-')
const made = `${scratch}/new`

try {
  execFileSync('tsc', ['-p', 'tsconfig.build.json', '--outDir', made], { stdio: 'inherit' })
  for (const room of ['src', 'solvers']) holdClosures(`${made}/${room}`)
  await bundle(`${made}/api`)
  // The package's command: npm sets this bit once, where it installs, and a build makes a new file.
  chmodSync(`${made}/api/cli/main.js`, 0o755)
  for (let turn = 0; !moved(made, place); turn++) moved(place, `${scratch}/old-${turn}`)
} catch (error) {
  process.exitCode = error.status ?? 1
  if (!error.status) throw error
} finally {
  rmSync(scratch, { recursive: true, force: true })
}

/** False where the target is in the way, or another build was quicker to take what was to be moved. */
function moved(from, to) {
  try {
    renameSync(from, to)
    return true
  } catch (error) {
    if (['ENOTEMPTY', 'EEXIST'].includes(error.code) || (error.code === 'ENOENT' && from === place))
      return false
    throw error
  }
}

/** In place: all files land one folder below `api`, and refer to it for what knows where it lies, and for the service. */
async function bundle(api) {
  const apart = {
    name: 'apart',
    setup: ({ onResolve }) =>
      onResolve({ filter: /^\.\.?\/.*\b(root|main)\.js$/ }, ({ path, resolveDir }) => {
        const [, name] = /\/([^/]+)$/.exec(path)
        const own = resolve(resolveDir, path) === resolve(api, name)
        return own ? { path: `../${name}`, external: true } : undefined
      }),
  }
  await build({
    entryPoints: [`${api}/cli/main.js`, `${api}/worker/thread.js`],
    outbase: api,
    outdir: api,
    allowOverwrite: true,
    chunkNames: 'bundled/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    plugins: [apart],
    // What a thread hands over is marked with symbols that the pool's own copy of the package knows.
    external: ['piscina'],
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
    logLevel: 'warning',
  })
}
