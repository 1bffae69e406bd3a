/** Where the project stands, whether this runs as written (api/*.ts) or as built (dist/api/*.js). */
const built = !import.meta.url.endsWith('.ts')

export const root = new URL(built ? '../../' : '../', import.meta.url)

/** The search's worker is always the built one: a worker thread loads no TypeScript. */
export const workerFile = new URL('dist/api/worker/thread.js', root)
