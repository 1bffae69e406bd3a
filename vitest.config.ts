import { defineConfig } from 'vitest/config'

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
        test: {
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: apart,
          // Modules hold no state between tests: they are loaded and compiled once a worker, not once a file.
          isolate: false,
        },
      },
      { extends: true, test: { name: 'apart', include: apart } },
    ],
  },
})
