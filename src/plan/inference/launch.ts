/**
 * What to type to serve a plan, per framework: vLLM, SGLang and TensorRT-LLM on GPUs, vLLM and MaxText's own engine on
 * TPUs. A framework that cannot run the plan says why, and gets no flags. `notes` are what flags cannot say.
 */
import type { InferenceCandidate, Phase } from '../../inference/search.ts'
import type { Setting } from '../../problem.ts'
import type { Launch } from '../launch/unsupported.ts'
import { maxtext } from './launch/maxtext.ts'
import { type Counted, type Serving, serving } from './launch/serving.ts'
import { sglang } from './launch/sglang.ts'
import { tensorrtLlm } from './launch/tensorrt-llm.ts'
import { vllm } from './launch/vllm.ts'

export function inferenceLaunch(
  setting: Setting,
  candidate: InferenceCandidate,
  mode: Phase['mode'],
  counted: Counted,
): Readonly<Record<string, unknown>> {
  const told = serving(setting, candidate, mode, counted)
  const launches: readonly (readonly [string, Launch<unknown>])[] = told.gpu
    ? [
        ['vllm', vllm(told)],
        ['sglang', sglang(told)],
        ['tensorrt-llm', tensorrtLlm(told)],
      ]
    : [
        ['vllm', vllm(told)],
        ['maxtext', maxtext(told)],
      ]
  const flags = launches.map(([name, launched]) => [name, 'flags' in launched ? launched.flags : launched])
  const own = launches.flatMap(([, launched]) => ('flags' in launched ? launched.notes : []))
  const any = launches.some(([, launched]) => 'flags' in launched)
  return { ...Object.fromEntries(flags), ...(any ? { notes: [...own, ...placementNotes(told), scope] } : {}) }
}

const scope =
  'The model, whether a framework has it, its checkpoint, drafts, host and port are not part of a plan.'

function placementNotes({ gpu, setting }: Serving): readonly string[] {
  if (gpu || setting.cluster.chips === 1) return []
  return ['JAX chooses where mesh axes lie on the torus; compare what it logs with `placement`.']
}
