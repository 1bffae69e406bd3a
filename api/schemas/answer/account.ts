/** Where the time and the memory of a plan go, and its collectives. */
import { z } from 'zod'
import { perAxis } from '../given/axis.ts'
import { movement, passName } from '../names.ts'

const bytes = z.number()
const seconds = z.number()

export const timeAccount = z.object({
  compute: seconds.describe('Time in which kernels are bound by arithmetic.'),
  hbm: seconds.describe('Time in which kernels are bound by memory bandwidth.'),
  communication: z
    .object(perAxis(seconds))
    .describe('Time of all collectives by mesh axis, summed one after another, hidden or not.'),
  hostTransfer: seconds.describe('Time to move offloaded arrays to the host and back, hidden or not.'),
  pipelineBubble: seconds.describe('Time in which pipeline stages wait for each other.'),
  rematerialization: seconds.describe('Time of the kernels that recompute activations.'),
  optimizer: seconds.describe('Time of the optimizer step.'),
  overhead: seconds.describe(
    'Fixed time that software takes per step and per layer, such as kernel launches.',
  ),
  exposedCommunication: seconds.describe('Communication that is not hidden under compute.'),
})

export const memoryAccount = z.object({
  budget: bytes.describe('Bytes that a chip may hold.'),
  total: bytes.describe('Bytes on the fullest chip, including `reserve`.'),
  parameters: bytes.describe('Weights, in the type and sharding in which they are stored.'),
  gradients: bytes.describe('Gradients, in the type in which they are accumulated.'),
  optimizer: bytes.describe('Optimizer states: moments and master weights.'),
  activations: bytes.describe(
    'Activations kept for the backward pass; in inference, the activations of the pass.',
  ),
  kvCache: bytes.describe('Keys and values of the sequences that run.'),
  workspace: bytes.describe(
    'Temporary memory: the live tensors and gathered weights of one layer, or the logits, whichever is more.',
  ),
  reserve: bytes.describe(
    'The part of the budget that stays free: `reserveFraction` of the chip, less what the budget itself leaves out.',
  ),
  host: bytes.describe(
    "Bytes in the host's memory, which are not in `total`: offloaded activations and optimizer states.",
  ),
  stage: z.int().describe('The pipeline stage with the fullest chip, which these figures are for, from 0.'),
})

export const collectiveLine = z.object({
  op: movement.describe('The operation.'),
  over: z.string().describe('The mesh axes that its group spans, such as `fsdp x context`.'),
  array: z.string().describe('The array that it moves, in the notation of `layout.shardings`.'),
  bytes: bytes.describe('Bytes of the whole array as the group sees it: gathered, or not yet reduced.'),
  count: z.number().describe('How often one chip takes part in it per step.'),
  seconds: seconds.describe('Time of all `count` calls in one step.'),
  exposed: z.boolean().describe('Whether it is on the critical path rather than prefetchable.'),
  pass: passName.describe('When it runs: in each forward or backward pass, or once per step.'),
})
