/** What is warned of where nothing launches a plan. */
import { expect, it } from 'vitest'
import { launchWarning } from '../../../src/plan/explain/launch-warning.ts'
import type { Plan } from '../../../src/plan/plan.ts'

const refusing = (launch: Plan['launch']) =>
  launchWarning({ launch } as Plan, ['vllm', 'maxtext'], 'the best plan')

it('names what is missing where no flags are written though a framework may run the best plan', () => {
  const missing = ['experts are not mapped', 'heads would be copied']
  const vllm = { unsupported: missing, unwritten: missing }
  const maxtext = {
    unsupported: ['has no pipeline', 'experts are not mapped'],
    unwritten: missing.slice(0, 1),
  }
  expect(refusing({ vllm, maxtext })).toBe(
    'no flags are written for the best plan, though vllm may run it (vllm: experts are not mapped; heads would be copied)',
  )
})

it('leaves reasons to the answer where no framework may run the plan', () => {
  expect(refusing({ vllm: { unsupported: ['a'] }, maxtext: { unsupported: ['b'] } })).toContain(
    'none of vllm, maxtext can launch',
  )
})
