/** Who has to launch the plan of a check, and what it is therefore costed as. */
import { launchersOf } from '../../src/assumptions/stack.ts'
import { isFields } from '../../src/fields.ts'
import { writtenFor } from '../../src/launch/read/reading.ts'
import type { ValidateRequest, ValidateServeRequest } from '../schemas/validate.ts'
import { saidOf } from '../translate/assumptions.ts'
import type { SpelledOut } from '../translate/launch/launch.ts'
import { activityOf } from '../translate/setting.ts'

/** A launch file is to be launched by its own framework, where the request does not say by whom. */
export function launchedByItsOwn<Request extends ValidateRequest | ValidateServeRequest>(
  spelled: SpelledOut<Request>,
): SpelledOut<Request> {
  const { request, reading, read } = spelled
  const framework = reading && writtenFor(reading.framework)
  if (!framework || request.require.launchableBy) return spelled
  const require = { ...request.require, launchableBy: [framework] }
  const said = isFields(read?.request.require) ? read.request.require : {}
  const told = read && {
    ...read,
    request: { ...read.request, require: { ...said, launchableBy: [framework] } },
  }
  return { request: { ...request, require }, reading, read: told }
}

/** If the request names no stack, the plan is costed with that of the framework that has to launch it. */
export function asLaunched<Request extends ValidateRequest | ValidateServeRequest>(
  request: Request,
): Request {
  const { assumptions, require, workload } = request
  const own = saidOf(assumptions)
  const { launchableBy = [] } = require
  const [stack] = launchersOf(activityOf(workload), launchableBy).filter((name) =>
    launchableBy.includes(name),
  )
  if (stack === undefined || own.basis === 'book' || own.stack !== undefined) return request
  return { ...request, assumptions: { ...own, stack } }
}
