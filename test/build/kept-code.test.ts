/** A sweep keeps the code of a search though it leaves none of its objects (api/worker/sweep.ts). V8 says which code it throws away, and why. */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const script = fileURLToPath(new URL('./sweeps-after.mjs', import.meta.url))

it('sweeps throw next to no code away for shapes of objects of which there are none', () => {
  const said = execFileSync(process.execPath, ['--trace-deopt', script], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  const [, ...sweeps] = said.split('\nsweep\n')
  expect(sweeps).toHaveLength(2)
  for (const sweep of sweeps) {
    const [during = ''] = sweep.split('\nswept\n')
    // Of a hundred functions half are thrown away where the collector does not find the constructors of literals first.
    expect(during.split('weak objects').length).toBeLessThan(30)
  }
})
