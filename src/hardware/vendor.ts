/** What software for one vendor's GPUs, or for GPUs joined in one way, asks of a chip. */
import { type Chip, isDirect, type Tier } from './chip.ts'
import { kinOf } from './kin.ts'
import { scalesBlocks } from './peak.ts'

/** By its kin's name, or by its own where it has none. */
export function isAmd(chip: Pick<Chip, 'name' | 'kin'>): boolean {
  return /^mi\d/i.test(kinOf(chip) ?? chip.name)
}

/** Whether it is a GPU of NVIDIA since Blackwell. */
export function isBlackwell(chip: Pick<Chip, 'name' | 'kin' | 'peakFlopsPerSecond'>): boolean {
  return scalesBlocks(chip) && !isAmd(chip)
}

/** Whether it is one of workstations (SM120), which has kernels of its own beside those of data centres. */
export function isWorkstation(chip: Pick<Chip, 'name' | 'kin'>): boolean {
  return /^rtx/i.test(kinOf(chip) ?? chip.name)
}

/** Chips and how they are joined: a cluster, or a chip with the system it comes in. */
interface Joined {
  readonly chip: Pick<Chip, 'name' | 'kin' | 'peakFlopsPerSecond'>
  readonly network:
    | { readonly kind: 'torus' }
    | { readonly kind: 'switched'; readonly tiers: readonly Pick<Tier, 'direct'>[] }
}

/** Whether kernels of one chip reach the memory of the others of its node: by NVLink or Infinity Fabric, not over PCIe. */
export function reachesPeers({ network }: Pick<Joined, 'network'>): boolean {
  return network.kind === 'torus' || network.tiers.slice(0, 1).every(isDirect)
}

/** Whether DeepEP runs, which asks for NVLink inside a node. Source: deepseek-ai/DeepEP, README.md, requirements. */
export function hasDeepEp({ chip, network }: Joined): boolean {
  return !isAmd(chip) && reachesPeers({ network })
}

export type ExpertKernels = 'MoRI' | 'DeepEP'

/** The kernels that send tokens to experts on GPUs of either vendor. */
export function expertKernels(chip: Pick<Chip, 'name' | 'kin'>): ExpertKernels {
  return isAmd(chip) ? 'MoRI' : 'DeepEP'
}

/** Whether Transformer Engine has user buffers: on NVIDIA's GPUs since Hopper, joined by NVLink. */
export function hasUserBuffers({ chip, network }: Joined): boolean {
  return hasDeepEp({ chip, network }) && chip.peakFlopsPerSecond.fp8 !== undefined
}
