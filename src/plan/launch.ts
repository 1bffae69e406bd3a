/**
 * What to type to run a plan, per framework: Megatron-LM and torchtitan on GPUs, MaxText on either. A framework that
 * cannot run the plan says why, and gets no flags. `notes` are what flags cannot say.
 */
import type { CostModel } from '../cost/model.ts'
import type { Candidate } from '../search/candidate.ts'
import { maxtext } from './launch/maxtext.ts'
import { megatron } from './launch/megatron.ts'
import { launchRun, type Run } from './launch/run.ts'
import { torchtitan } from './launch/torchtitan.ts'
import type { Launch } from './launch/unsupported.ts'
import type { PolicyLayers } from './summary.ts'

export function launch(
  model: CostModel,
  candidate: Candidate,
  policies: readonly PolicyLayers[],
): Readonly<Record<string, unknown>> {
  const run = launchRun(model, candidate, policies)
  const gpu = run.problem.cluster.chip.kind === 'gpu'
  const launches: readonly (readonly [string, Launch<unknown>])[] = [
    ...(gpu ? [['megatron', megatron(run)] as const] : []),
    ['maxtext', maxtext(run)],
    ...(gpu ? [['torchtitan', torchtitan(run)] as const] : []),
  ]
  const framework = ([name, launched]: readonly [string, Launch<unknown>]) => [
    name,
    'flags' in launched ? launched.flags : launched,
  ]
  const own = launches.flatMap(([, launched]) => ('flags' in launched ? launched.notes : []))
  const any = launches.some(([, launched]) => 'flags' in launched)
  const notes = any ? [...paddingNotes(run), ...memoryNotes(run), ...own, ...scopeNotes(run)] : []
  return { ...Object.fromEntries(launches.map(framework)), ...(any ? { notes } : {}) }
}

function scopeNotes({ model }: Run): readonly string[] {
  return [
    ...(model.experts ? ['How a router scores experts and balances them is not part of a plan.'] : []),
    'Data, tokenizer, learning rate, norms, biases and kinds of positions are not part of a plan.',
  ]
}

function paddingNotes({ globalBatch, sequenceLength, problem }: Run): readonly string[] {
  const asked = problem.workload.batchTokens
  const sequences = Number((asked / sequenceLength).toPrecision(6))
  if (globalBatch * sequenceLength === asked) return []
  return [
    `The batch of ${sequences} sequences (${asked} tokens) is rounded up to ${globalBatch} that divide evenly.`,
  ]
}

function memoryNotes({ problem: { assumptions, precision } }: Run): readonly string[] {
  const lacking = [
    ...(assumptions.masterWeights || precision.weights === 'fp32' ? [] : ['master weights']),
    ...(assumptions.gradientBuffer ? [] : ['a gradient buffer']),
  ]
  if (lacking.length === 0) return []
  return [`The plan's memory is counted without ${lacking.join(' and ')}, which the frameworks keep.`]
}
