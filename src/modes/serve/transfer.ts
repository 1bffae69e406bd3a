/**
 * Sending the keys and values of a prompt from a prefill instance to a generate instance.
 *
 *   seconds   bytes / (min(n_p, n_g) · w)       for one prompt; every chip of the smaller instance sends or receives
 *                                               its share
 *   exposed   b·seconds                                 behind the prefill of b prompts, whose caches are sent together
 *   busy      λ · bytes / (min(P·n_p, D·n_g) · w)            utilisation of the links of the smaller side
 *
 * w is the one-way bandwidth of a chip on the network that joins the whole deployment: the innermost tier that holds
 * it, or DCN for slices of a torus. Nothing is sent while a pass runs: vLLM's NixlConnector reads all of a prompt's caches when it was read (vllm-project/vllm,
 * pull request 56874 of September 2026: "a single, monolithic READ at the end of prefill"), SGLang sends a chunk of a prompt behind its pass, and the last behind
 * the last (sgl-project/sglang, disaggregation/prefill.py, send_kv_chunk), of which nothing is counted as hidden; TensorRT-LLM sends what a context server has. Re-slicing between different layouts is free; a cached prefix is sent again even if
 * the generate instance may have it.
 */
import type { Cluster, SwitchedNetwork } from '../../hardware/cluster/cluster.ts'
import { tierEfficiency } from '../../hardware/network/group-cost.ts'
import type { InferenceModel } from '../../inference/model.ts'
import type { Bytes, BytesPerSecond, Seconds } from '../../units.ts'
import type { Deployment } from './pair.ts'
import type { Requests } from './requests.ts'

export interface KvTransfer {
  readonly bytes: Bytes
  /** For one prompt. */
  readonly seconds: Seconds
  readonly exposedSeconds: Seconds
  readonly utilization: number
}

export function kvTransfer(
  { pair, prefills, generates }: Deployment,
  { cacheBytes }: Requests,
  rate: number,
): KvTransfer {
  const { prefill, generate } = pair
  const { bench } = prefill.size
  const sending = prefill.size.cluster.chips
  const receiving = generate.size.cluster.chips
  const perChip = joiningBandwidth(bench, prefills * sending + generates * receiving)
  const seconds = cacheBytes / (Math.min(sending, receiving) * perChip)
  return {
    bytes: cacheBytes,
    seconds,
    exposedSeconds: prefill.prompts * seconds,
    utilization: (rate * cacheBytes) / (Math.min(prefills * sending, generates * receiving) * perChip),
  }
}

function joiningBandwidth({ setting }: InferenceModel, chips: number): BytesPerSecond {
  const { assumptions, cluster } = setting
  const { network } = cluster
  if (network.kind === 'torus') return network.dcnBytesPerSecondPerChip * assumptions.scaleOutEfficiency
  const at = joined(network).findIndex((held) => held >= chips)
  const { bytesPerSecondPerChip = 0 } = network.tiers.at(at) ?? {}
  return bytesPerSecondPerChip * (at < 0 ? assumptions.scaleOutEfficiency : tierEfficiency(assumptions, at))
}

/** The most chips that each tier joins. */
function joined({ tiers }: SwitchedNetwork): readonly number[] {
  let held = 1
  return tiers.map(({ size }) => {
    held *= size ?? Number.POSITIVE_INFINITY
    return held
  })
}

/** Sizes of deployments up to which caches are sent at one bandwidth, those of all sizes at the last: beyond each they may be sent more slowly. */
export function joinedAlike({ network }: Cluster): readonly number[] {
  const held = network.kind === 'torus' ? [] : joined(network).filter(Number.isFinite)
  return [...held, Number.POSITIVE_INFINITY]
}
