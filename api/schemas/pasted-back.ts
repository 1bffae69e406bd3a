/** What answers have under a framework's name that is no launch file. */
import { z } from 'zod'
import { phaseMode } from './names.ts'

/** Why the framework cannot run the plan. */
export const refusedLaunch = z.looseObject({ unsupported: z.array(z.string()) })

const file = z.union([z.string(), z.array(z.unknown()), z.record(z.string(), z.unknown())])

/** The files of two servers, where phases are apart. */
export const launchesApart = z.record(phaseMode, file)
