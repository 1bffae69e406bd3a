import { defineConfig } from 'vitest/config'
import { builtPlugin } from './test/built/plugin.ts'

/** Tests that put modules in the place of others, or count what they do, have modules to themselves. */
const apart = [
  'test/laws/house/made-up-rows.test.ts',
  'test/http/queue/event-loop.test.ts',
  'test/laws/house/work.test.ts',
]

export default defineConfig({
  test: {
    setupFiles: ['test/seed.ts'],
    maxWorkers: '100%',
    // A machine may be slow: what hangs is ended by the job that runs the tests, not by a clock in them.
    testTimeout: 0,
    hookTimeout: 0,
    coverage: { provider: 'v8', include: ['src/**', 'api/**', 'solvers/**'] },
    projects: [
      {
        extends: true,
        // Lines are counted of sources.
        plugins: process.argv.includes('--coverage') ? [] : [builtPlugin()],
        test: {
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: apart,
          // Modules hold no state between tests: they are loaded and compiled once a worker, not once a file.
          isolate: false,
          server: { deps: { external: [/\/dist\//] } },
        },
      },
      { extends: true, test: { name: 'apart', include: apart } },
    ],
  },
})
