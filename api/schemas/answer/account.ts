/** Where the time and the memory of a plan go, and its collectives. */
import { z } from 'zod'
import { flag, number, object, text, whole } from '../field.ts'
import { perAxis } from '../given/axis.ts'
import { movement, passName } from '../names.ts'

const seconds = z.number()

export const timeAccount = z.object({
  compute: number('Time in which kernels are bound by arithmetic.'),
  hbm: number('Time in which kernels are bound by memory bandwidth.'),
  communication: object(
    'Time of all collectives by mesh axis, summed one after another, hidden or not.',
    perAxis(seconds),
  ),
  hostTransfer: number('Time to move offloaded arrays to the host and back, hidden or not.'),
  pipelineBubble: number('Time in which pipeline stages wait for each other.'),
  rematerialization: number('Time of the kernels that recompute activations.'),
  optimizer: number('Time of the optimizer step.'),
  overhead: number('Fixed time that software takes per step and per layer, such as kernel launches.'),
  exposedCommunication: number('Communication that is not hidden under compute.'),
})

export const memoryAccount = z.object({
  budget: number('Bytes that a chip may hold.'),
  total: number('Bytes on the fullest chip, including `reserve`.'),
  parameters: number('Weights, in the type and sharding in which they are stored.'),
  gradients: number('Gradients, in the type in which they are accumulated.'),
  optimizer: number('Optimizer states: moments and master weights.'),
  activations: number('Activations kept for the backward pass; in inference, the activations of the pass.'),
  kvCache: number('Keys and values of the sequences that run.'),
  workspace: number(
    'Temporary memory: the live tensors and gathered weights of one layer, or the logits, whichever is more.',
  ),
  reserve: number(
    'The part of the budget that stays free: `reserveFraction` of the chip, less what the budget itself leaves out.',
  ),
  host: number(
    "Bytes in the host's memory, which are not in `total`: offloaded activations and optimizer states.",
  ),
  stage: whole('The pipeline stage with the fullest chip, which these figures are for, from 0.'),
})

export const collectiveLine = z.object({
  op: movement.describe('The operation.'),
  over: text('The mesh axes that its group spans, such as `fsdp x context`.'),
  array: text('The array that it moves, in the notation of `layout.shardings`.'),
  bytes: number('Bytes of the whole array as the group sees it: gathered, or not yet reduced.'),
  count: number('How often one chip takes part in it per step.'),
  seconds: number('Time of all `count` calls in one step.'),
  exposed: flag('Whether it is on the critical path rather than prefetchable.'),
  pass: passName.describe('When it runs: in each forward or backward pass, or once per step.'),
})
