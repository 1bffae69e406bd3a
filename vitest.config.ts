import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // A machine may be slow: what hangs is ended by the job that runs the tests, not by a clock in them.
    testTimeout: 0,
    hookTimeout: 0,
    coverage: { provider: 'v8', include: ['src/**', 'api/**', 'solvers/**'] },
  },
})
