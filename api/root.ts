/** The project's root directory, whether this runs from source (api/*.ts) or built (dist/api/*.js). */
const built = !import.meta.url.endsWith('.ts')

export const root = new URL(built ? '../../' : '../', import.meta.url)

/** Always the built worker, because a worker thread cannot load TypeScript. */
export const workerFile = new URL('dist/api/worker/thread.js', root)
