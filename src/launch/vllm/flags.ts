/**
 * vLLM's flags (`vllm serve`), on GPUs and, with the plugin tpu-inference, on TPUs. Its ranks are tensor x pipeline x
 * data; replicas do not communicate, and the ranks of a stage lie as close together as in any plan, or rules.ts refuses
 * it. Layouts of caches:
 *
 *   heads        tensor parallelism; a head is copied if there are more chips than heads
 *   sequence     decode context parallelism, over the chips that would otherwise hold copies of a key-value head: all
 *                tensor chips if there is one such head or latent attention, as plans assume
 *   copied-all/batch, copied/heads-batch
 *                data-parallel attention (server/attention-groups.ts): on GPUs only for models with experts, which all
 *                data ranks share; on TPUs for any model
 *
 * With --enable-expert-parallel these ranks, or the tensor chips, hold whole experts; without it each expert is sliced
 * over all of them. Data ranks gather all tokens and scatter the sums (--all2all-backend allgather_reducescatter, the
 * default), or send them to their experts: the latter is mesh axis expert. Replicas of a model with experts are separate servers, because the data ranks of one server share
 * its experts.
 *
 * --enable-eplb keeps copies of experts, in (experts + copies) / ranks slots on each rank, and moves them to where
 * tokens go. --enable-dbo runs two halves of a batch in turns, if it has more tokens than a threshold.
 *
 * A pipeline is not fed in equal groups (vllm-project/vllm issue 41682, May 2026). Source: vllm-project/vllm,
 * vllm/config/parallel.py 00193b8, cache.py 002f10e, scheduler.py 01230b4, vllm/engine/arg_utils.py 99d7eb5 (flags have
 * the names of fields), docs/serving/{context,data,expert}_parallel_deployment.md, docs/design/dbo.md,
 * docs/features/quantization; for TPUs vllm-project/tpu-inference b8692ff (August 2026),
 * tpu_inference/layers/common/sharding.py, platforms/tpu_platform.py, docs/includes/nightly_quantization.md.
 */
import { compact } from '../../compact.ts'
import type { Launch } from '../launch.ts'
import { ownAddress, portOf, visibleChips } from '../server/apart.ts'
import { draftWord, headNote, isUnnamed } from '../server/drafts.ts'
import { checkpointNote, multipliesBesideEight } from '../server/formats.ts'
import { graphNote } from '../server/graphs.ts'
import { longerNote, longerVariables, longerWord } from '../server/longer.ts'
import { modelWord } from '../server/model-word.ts'
import { hostNotes, hostsOf, kernelNotes, replicaChips } from '../server/notes.ts'
import { servingRefusal } from '../server/rules.ts'
import { sendingVariables } from '../server/sent-tokens.ts'
import type { Serving } from '../server/serving.ts'
import { written } from '../settings/settings.ts'
import { firstHost, hostRank, type Start, shellWords } from '../start.ts'
import { exchangeVariables } from './exchange-variables.ts'
import { lengthOf } from './length.ts'
import { buildOf } from './rules.ts'
import { groupsOfServer, vllmSettings } from './settings.ts'
import { sentRoom } from './step-tokens.ts'
import { trayVariable } from './trays.ts'
import { vllmVersion } from './version.ts'

export function vllm(serving: Serving): Launch<readonly string[]> {
  const { name, rules } = buildOf(serving)
  const refusal = servingRefusal(rules, serving)
  if (refusal.unsupported.length > 0) return refusal
  const flags = written(vllmSettings, serving)
  return { flags, start: vllmStart(serving, flags), notes: notes(serving, name) }
}

/** On several hosts only the first one answers requests; the others run headless. */
function vllmStart(serving: Serving, flags: readonly string[]): Start {
  const { gpu, setting } = serving
  const chips = isApart(serving) ? replicaChips(serving) : setting.cluster.chips
  const hosts = hostsOf(serving, chips)
  const groups = groupsOfServer(serving)
  const local = groups / hosts
  const headless = `$([ ${hostRank} = 0 ] || echo --headless)`
  const ranks = `--data-parallel-size-local ${local} --data-parallel-start-rank $((${local} * ${hostRank.replaceAll('"', '')})) --data-parallel-address ${firstHost} --data-parallel-rpc-port 13345`
  const nodes = `--nnodes ${hosts} --node-rank ${hostRank} --master-addr ${firstHost}`
  const over = groups > 1 && Number.isInteger(local) ? ranks : nodes
  const environment = isRedesigned(serving) ? 'NEW_MODEL_DESIGN=1 ' : ''
  // Without it inputs of MXFP4 experts stay in bf16 (vllm-project/recipes @8959cf6, models/openai/gpt-oss-120b.yaml).
  const kernels = gpu && multipliesBesideEight(serving) ? 'VLLM_USE_FLASHINFER_MOE_MXFP4_MXFP8=1 ' : ''
  const several = hosts === 1 ? '' : gpu ? ` ${over} ${headless}` : ' --distributed-executor-backend ray'
  const remote = gpu || hosts === 1 ? '' : 'TPU_MULTIHOST_BACKEND=ray '
  const side = gpu && serving.transfers ? sideChannel(serving, groups) : ''
  const port = serving.transfers ? ` --port ${portOf(serving, 8000)}` : ''
  const longer = longerWord(serving, lengthOf(serving), longerVariables.vllm)
  return {
    version: vllmVersion,
    command: `${visibleChips(serving, chips)}${side}${environment}${kernels}${gpu ? exchangeVariables(serving) + trayVariable(serving) + sendingVariables({ sentTokens: sentRoom(serving) }) : ''}${remote}${longer}vllm serve ${modelWord(serving, buildOf(serving).formats)} ${shellWords(flags)}${unnamedDraft(serving)}${port}${several}`,
    files: [],
  }
}

/** What drafts has no name before somebody starts the server (vllm/engine/arg_utils.py, --spec-model and --spec-tokens). */
function unnamedDraft({ drafts }: Serving): string {
  return drafts && isUnnamed(drafts)
    ? ` --spec-model ${draftWord(drafts)} --spec-tokens ${drafts.tokens}`
    : ''
}

/** By default each listens at localhost:5600, and each data rank at a port of its own (docs/features/nixl_connector_usage.md 026c83f). */
function sideChannel(serving: Serving, groups: number): string {
  return `VLLM_NIXL_SIDE_CHANNEL_HOST=${ownAddress} VLLM_NIXL_SIDE_CHANNEL_PORT=${portOf(serving, 5600, groups)} `
}

function notes(serving: Serving, name: string): readonly string[] {
  const { gpu, mesh, setting } = serving
  const apart = isApart(serving)
  return compact(
    isRedesigned(serving) && `${name}: set NEW_MODEL_DESIGN=1.`,
    apart && `${name}: start ${mesh.data} servers, one for each replica, behind a load balancer.`,
    headNote(
      serving.drafts,
      name,
      (tokens) =>
        `--speculative-config '{"method": "eagle3", "model": …, "num_speculative_tokens": ${tokens}}'`,
    ),
    longerNote(serving, name, lengthOf(serving), longerVariables.vllm),
    graphNote(serving, name),
    kernelNotes(serving, name),
    mesh.pipeline > 1 &&
      `${name} does not split sequences evenly over the stages; the plan counts on equal groups.`,
    checkpointNote(serving, name, buildOf(serving).formats),
    hostNotes(
      serving,
      name,
      apart ? replicaChips(serving) : setting.cluster.chips,
      gpu ? gpuHosts : tpuHosts,
    ),
  )
}

/** Kinds of models for which the TPU plugin needs NEW_MODEL_DESIGN. */
function isRedesigned({ gpu, sharesPositions, attentionGroups }: Serving): boolean {
  return !gpu && (sharesPositions || attentionGroups > 1)
}

/** Whether each replica is a separate server. */
function isApart({ gpu, mesh, attentionGroups, experts }: Serving): boolean {
  return gpu && (attentionGroups > 1 || experts !== null) && mesh.data > 1
}

const gpuHosts =
  'a replica over several of them takes --nnodes, --node-rank and --master-addr, replicas apart --data-parallel-size-local and --data-parallel-address.'
const tpuHosts = 'set TPU_MULTIHOST_BACKEND=ray.'
