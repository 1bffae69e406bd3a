/** What is to be run, in one of four modes. */
import { z } from 'zod'
import { generateWorkload } from './generate-workload.ts'
import { prefillWorkload } from './prefill-workload.ts'
import { serveWorkload } from './serve-workload.ts'
import { trainWorkload } from './train-workload.ts'

export const workload = z
  .discriminatedUnion('mode', [trainWorkload, prefillWorkload, generateWorkload, serveWorkload])
  .describe('Training, one phase of inference, or a whole deployment.')

export type Workload = z.output<typeof workload>

export type Mode = Workload['mode']
