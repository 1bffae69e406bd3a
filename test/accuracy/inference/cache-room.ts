/**
 * What a server's caches get of a chip's memory: a share of what is free when its weights, the process itself and the activations of the
 * largest step that it takes are there. TensorRT-LLM lays those out before the caches (docs/source/reference/memory.md); vLLM runs such a
 * step to see what it leaves.
 */
import type { Chip } from '../../../src/hardware/chip.ts'
import { prefillPass } from '../../../src/inference/pass/pass.ts'
import { passNumbers, residentOf, weightBytes } from '../../../src/inference/pass/pass-numbers.ts'
import type { Site } from '../../../src/inference/phase.ts'
import type { Workbench } from '../../../src/inference/workbench.ts'
import { type Mesh, replicasOf } from '../../../src/sharding/axis.ts'
import type { Bytes } from '../../../src/units.ts'

/** Weights, and what caches may take beside them; `tokens` of a step are those of each rank of attention. */
export function weightsAndCaches(
  bench: Workbench,
  { mesh, offered }: Pick<Site, 'mesh' | 'offered'>,
  tokens: number,
  cacheShare: number,
): Bytes {
  const { model, cluster } = bench.setting
  const prompts = { batchSequences: replicasOf(mesh), promptLength: tokens, cachedPrefixLength: 0 }
  const step = prefillPass(model, { mode: 'prefill', ...prompts }, 1, mesh.pipeline)
  const [options = []] = residentOf(bench, step, passNumbers(bench, mesh, step, offered))
  const activations = Math.max(...options.map((own) => Math.min(...own.map(({ workspace }) => workspace))))
  const held = weightBytes(bench, mesh, offered)
  const weights = Math.max(...held.map((stage) => stage.reduce((sum, own) => sum + Math.min(...own), 0)))
  const free = cluster.chip.hbmBytes - weights - activations - processBytes(cluster.chip, mesh)
  return weights + cacheShare * free
}

/** CUDA's context takes 1 % of what the driver reports, and NCCL's buffers 1 to 2 % (src/assumptions/calibrated.ts). */
function processBytes({ kind, hbmBytes }: Chip, { tensor, expert }: Mesh): Bytes {
  const share = tensor * expert > 1 ? 0.025 : 0.01
  return kind === 'gpu' ? share * hbmBytes : 0
}
