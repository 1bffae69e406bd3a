/** What vLLM cannot run. Source: as flags.ts, and verify_with_parallel_config in vllm/config/model.py. */
import type { Check } from '../launch.ts'
import type { Serving } from '../server/serving.ts'

export function vllmChecks(serving: Serving): readonly Check[] {
  const { mode, mesh, model, cache, tensors, gpu } = serving
  const shards = model.attention.latent ? 1 : model.kvHeads
  return [
    [
      mesh.context > 1,
      gpu
        ? "vLLM's prefill context parallelism keeps whole caches on all its chips, and is for single models yet"
        : 'vLLM on TPUs shards the MLP over the chips of prefill context parallelism; the plan copies it',
    ],
    [
      cache === 'sequence' && mode === 'prefill',
      'vLLM shares out the positions of caches in generation, not in prefill',
    ],
    [
      cache === 'sequence' && mode === 'generate' && shards > 1,
      `vLLM shares out positions among the chips with one key-value head, at most ${Math.floor(tensors / shards)}; the plan among ${tensors}`,
    ],
    ...(gpu ? [] : tpuChecks(serving)),
  ]
}

function tpuChecks({ setting, model, attentionGroups }: Serving): readonly Check[] {
  const { network } = setting.cluster
  return [
    [
      network.kind === 'torus' && network.slices > 1,
      'vLLM on TPUs serves from one slice: plan for one, and start a server on each',
    ],
    [
      model.attention.latent !== null && attentionGroups === 1,
      'vLLM on TPUs runs latent attention by sequences alone',
    ],
  ]
}
