/**
 * What servers of a deployment whose phases are apart are told of where they are: those of the other phase, and the router, call them from other hosts,
 * and several of them may share a host. Which server of its host each is comes from SLURM_LOCALID, from 0; its chips and its ports follow. Servers of either phase have ports of their own, so that they may share a host.
 */
import { fullUnit } from '../../hardware/cluster/cluster.ts'
import { hostOf } from '../../hardware/cluster/hosts.ts'
import type { Serving } from './serving.ts'

const place = `\${SLURM_LOCALID:-0}`

/** From ports of servers that read prompts to those of servers that generate. */
export const ofOther = 100

/** The address of this host, unless HOST_IP has another. */
export const ownAddress = `"\${HOST_IP:-$(hostname -I | cut -d' ' -f1)}"`

/** A port of this server, of several in a row, where other phases and servers of the host have others. */
export function portOf({ mode }: Pick<Serving, 'mode'>, first: number, row = 1): string {
  const own = first + (mode === 'prefill' ? 0 : ofOther)
  return row === 1 ? `$((${own} + ${place}))` : `$((${own} + ${row} * ${place}))`
}

/** The chips of a server that leaves others of its host to more servers, in front of a command. */
export function visibleChips({ transfers, gpu, setting }: Serving, chips: number): string {
  const { chip, network } = setting.cluster
  const unit = network.kind === 'switched' ? fullUnit(network, chips) : chips
  if (!transfers || !gpu || chip.kind !== 'gpu' || chips >= hostOf(unit)) return ''
  const own =
    chips === 1 ? place : `$(seq -s, $((${chips} * ${place})) $((${chips} * ${place} + ${chips - 1})))`
  return `CUDA_VISIBLE_DEVICES=${own} `
}
