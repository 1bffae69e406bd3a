/**
 * DeepEP on several trays of one NVLink domain (GB200 NVL72). vLLM keeps it to the network between hosts unless variables of the shell say
 * otherwise, one for the kernels for few tokens and one for those for many, of which a group has NUM_MAX_NVL_PEERS chips at most that NVLink joins.
 * Source: vllm-project/vllm 99d7eb5, vllm/distributed/device_communicators/all2all.py (allow_mnnvl; num_rdma_bytes), vllm/envs.py (both are off);
 * deepseek-ai/DeepEP, csrc/kernels/configs.cuh.
 */

import { hostOf, hostSize, joinsHosts } from '../../hardware/cluster/hosts.ts'
import type { ReadingContext } from '../read/reading.ts'
import type { ServerCommand } from '../read/server-command.ts'
import type { Serving } from '../server/serving.ts'
import { variableIn } from './exchange-variables.ts'
import { dispatchOf } from './settings.ts'

interface OverTrays {
  readonly backend: string
  readonly variable: string
  /** Most chips that NVLink joins then. */
  readonly most: number
}

const rows: readonly OverTrays[] = [
  {
    ...{ backend: 'deepep_low_latency', variable: 'VLLM_DEEPEP_LOW_LATENCY_USE_MNNVL' },
    most: Number.POSITIVE_INFINITY,
  },
  {
    ...{ backend: 'deepep_high_throughput', variable: 'VLLM_DEEPEP_HIGH_THROUGHPUT_FORCE_INTRA_NODE' },
    most: 8,
  },
]

/** The row of a plan that sends tokens between the trays of a domain. */
function rowOf(serving: Serving): OverTrays | null {
  const { cluster } = serving.setting
  if (!joinsHosts(cluster) || serving.tensors <= hostSize(cluster)) return null
  return rows.find(({ backend }) => backend === dispatchOf(serving)) ?? null
}

/** The variable in front of a command, with a blank behind it. */
export function trayVariable(serving: Serving): string {
  const row = rowOf(serving)
  return row ? `${row.variable}=1 ` : ''
}

interface Written extends Pick<ServerCommand, 'variables'> {
  readonly text: string
}

/** The note on a file whose ranks are on several trays, that tokens go another way than is counted. */
export function readTrayNote(
  backend: string,
  ranks: number,
  written: Written,
  { innermostUnit = 1 }: Pick<ReadingContext, 'innermostUnit'>,
): string | null {
  const row = rows.find((one) => one.backend === backend)
  const host = hostOf(innermostUnit)
  if (!row || host === innermostUnit || ranks <= host) return null
  const isSet = /^[1-9]/.test(variableIn(row.variable, written) ?? '')
  if (isSet && ranks <= row.most) return null
  const most = row.most < ranks ? `, and with it joins at most ${row.most} chips by NVLink` : ''
  return `--all2all-backend ${backend} sends tokens over the network between hosts of ${host} chips without ${row.variable}=1${most}: they are counted by NVLink, as all ${innermostUnit} chips of a domain have it`
}
