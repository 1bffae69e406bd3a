/**
 * Servers that ask for more GPUs than a host has, with nothing that starts them on others: they do not start. Source: vllm-project/vllm,
 * vllm/config/parallel.py 00193b8 ("World size is larger than the number of available GPUs in this node", unless --nnodes or Ray is said);
 * sgl-project/sglang, server_args.py 001067f (--nnodes, by which the ranks are divided; 1 by default).
 */

import { hostOf } from '../../hardware/cluster/hosts.ts'
import type { Options } from '../read/options.ts'
import type { ReadingContext } from '../read/reading.ts'

/** Ranks that a command starts on the host where it runs. */
export interface OnHost {
  readonly ranks: number
  /** How the command would say that it runs on several. */
  readonly how: string
}

/** Programs that start the others, or that add options of their own for it. */
const elsewhere =
  /\bray\s+(start|up|symmetric-run)\b|multi-node-serving|\bRAY_ADDRESS\b|\bdynamo\.|\b(mpirun|mpiexec)\b|trtllm-llmapi-launch/

/** Null where the text has what starts a server on several hosts in another way, or does not say on how many. */
export function ranksOnHost(text: string, options: Options, ranks: number, how: string): OnHost | null {
  const nodes = options.text('--nnodes') ?? '1'
  if (elsewhere.test(text) || !/^[1-9]\d{0,5}$/.test(nodes)) return null
  return { ranks: ranks / Number(nodes), how }
}

/** A server of more chips than all that it is started on, whatever starts its ranks there. */
export function beyondGiven(
  chips: number,
  { chip, serverGpus }: Pick<ReadingContext, 'chip' | 'serverGpus'>,
): string | null {
  if (serverGpus === undefined || chips <= serverGpus || chip?.kind === 'tpu') return null
  return `it takes ${chips} GPUs, and what it is started on has ${serverGpus}: it does not start`
}

export function beyondHost(
  onHost: OnHost | null,
  { chip, innermostUnit, podGpus }: Pick<ReadingContext, 'chip' | 'innermostUnit' | 'podGpus'>,
): string | null {
  if (!onHost || chip?.kind === 'tpu') return null
  const { ranks, how } = onHost
  if (podGpus !== undefined && ranks > podGpus)
    return `it starts ${ranks} ranks where it is given ${podGpus} GPUs, and does not start: ${how}`
  const host = innermostUnit === undefined ? ranks : hostOf(innermostUnit)
  return ranks > host
    ? `it starts ${ranks} ranks on a host of ${host} GPUs, and does not start: ${how}`
    : null
}
