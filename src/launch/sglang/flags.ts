/**
 * SGLang's flags (`python -m sglang.launch_server`). Tensor parallelism is the plan's layout `heads`. A pipeline is fed
 * in groups of at most --pp-max-micro-batch-size. Replicas share one server on a single host, and are separate servers
 * on several. With --enable-dp-attention attention is by sequences, in --dp-size groups within --tp-size, each with all
 * attention weights (server/attention-groups.ts). --ep-size
 * counts the chips that hold whole experts, also within --tp-size; with copies of experts, which --enable-eplb moves to
 * where tokens go, each holds (experts + copies) / --ep-size. Decode context parallelism divides positions only for
 * latent attention. Prompts have to be six positions shorter than the context length. Source: sgl-project/sglang,
 * python/sglang/srt/server_args.py 001067f (2026), managers/{scheduler,tp_worker}.py, eplb/expert_location.py,
 * layers/quantization/mxfp4.py (only experts); docs.sglang.io,
 * advanced_features/{dp_dpa_smg_guide,expert_parallelism,dcp}.
 */
import { compact } from '../../compact.ts'
import type { Launch } from '../launch.ts'
import { portOf, visibleChips } from '../server/apart.ts'
import {
  type BesideGroups,
  denseGroupsRule,
  projectionOf,
  sharesExperts,
} from '../server/attention-groups.ts'
import { draftWord, headNote, isUnnamed } from '../server/drafts.ts'
import { besideEightRules, checkpointNote, unpackedNote, unpackedRule } from '../server/formats.ts'
import { graphNote } from '../server/graphs.ts'
import { unslicedRule } from '../server/loads.ts'
import { longerNote, longerVariables, longerWord } from '../server/longer.ts'
import { modelWord } from '../server/model-word.ts'
import { hostNotes, hostsOf, kernelNotes, replicaChips, replicaNote } from '../server/notes.ts'
import { pagesNote } from '../server/pages.ts'
import {
  chosenPositionsRule,
  type ServingRules,
  sentExpertsRule,
  servingRefusal,
  servingRules,
  sharedPositionsRule,
} from '../server/rules.ts'
import { sentGroupsRule } from '../server/sent-groups.ts'
import { sentTokensRule } from '../server/sent-tokens.ts'
import { ranksOf, type Serving } from '../server/serving.ts'
import { wholeBlocksRule } from '../server/slices.ts'
import { written } from '../settings/settings.ts'
import { firstHost, hostRank, type Start, shellWords } from '../start.ts'
import { memoryRule } from './memory.ts'
import { groupsNote, mixtureRules } from './mixtures.ts'
import { pagesOf } from './pages.ts'
import { sentVariables } from './sending.ts'
import { sglangDeepEp } from './sent-by.ts'
import { sentTypesRule } from './sent-types.ts'
import { lengthOf, sglangFormats, sglangSettings, sharesServer } from './settings.ts'
import { slotsNote } from './states.ts'
import { marlinRule, unpackedEverywhere } from './unpacked.ts'
import { sglangVersion } from './version.ts'

/** Over all tensor chips, but for --moe-dense-tp-size 1 and --enable-dp-lm-head. */
const besideGroups: BesideGroups = {
  mlp: ['all', 'each'],
  experts: ['all', 'each'],
  unembedding: ['all', 'own'],
}

/** Why SGLang cannot serve a plan. */
export const sglangRules: ServingRules = servingRules('SGLang', sglangFormats, besideGroups, [
  denseGroupsRule('SGLang'),
  sentExpertsRule('SGLang'),
  ...mixtureRules,
  sentTypesRule,
  sentGroupsRule('SGLang', sglangDeepEp, { generate: 'few', prefill: 'many', serve: 'many' }),
  wholeBlocksRule('SGLang'),
  unslicedRule('SGLang', ranksOf),
  unpackedRule('SGLang', unpackedEverywhere),
  marlinRule,
  ...besideEightRules('SGLang'),
  {
    broken: (serving) => {
      const [mlp, experts] = [projectionOf(serving, 'mlp'), projectionOf(serving, 'experts')]
      return sharesExperts(serving) && serving.sharingGroups > 1 && mlp !== null && mlp !== experts
    },
    says: 'SGLang has one --moe-dense-tp-size for the MLP of dense layers and for shared experts',
  },
  {
    broken: ({ mesh }) => mesh.context > 1,
    says: "SGLang's prefill context parallelism splits the tensor chips; the plan adds to them",
  },
  {
    broken: ({ sharesPositions, model }) => sharesPositions && model.attention.latent === null,
    says: 'SGLang shares out the positions of latent attention alone',
  },
  sharedPositionsRule('SGLang'),
  chosenPositionsRule('SGLang'),
  sentTokensRule('SGLang'),
  {
    // server_args.py, check_server_args.
    broken: ({ drafts, mesh }) => drafts !== null && mesh.pipeline > 1,
    says: 'SGLang drafts no tokens in a pipeline',
  },
  {
    // docs/advanced_features/speculative_decoding.md, STANDALONE.
    broken: ({ drafts, attentionGroups }) => drafts?.by === 'model' && attentionGroups > 1,
    says: 'SGLang has no draft model beside attention by sequences',
  },
  memoryRule,
])

export function sglang(serving: Serving): Launch<readonly string[]> {
  const refusal = servingRefusal(sglangRules, serving)
  if (refusal.unsupported.length > 0) return refusal
  const flags = written(sglangSettings, serving)
  return { flags, start: sglangStart(serving, flags), notes: notes(serving) }
}

function sglangStart(serving: Serving, flags: readonly string[]): Start {
  const chips = sharesServer(serving) ? serving.setting.cluster.chips : replicaChips(serving)
  const hosts = hostsOf(serving, chips)
  const nodes = ` --nnodes ${hosts} --node-rank ${hostRank} --dist-init-addr ${firstHost}:20000`
  const longer = longerWord(serving, lengthOf(serving), longerVariables.sglang)
  return {
    version: sglangVersion,
    command: `${visibleChips(serving, chips)}${sentVariables(serving)}${longer}python3 -m sglang.launch_server --model-path ${modelWord(serving, sglangFormats)} ${shellWords(flags)}${unnamedDraft(serving)}${doors(serving)}${hosts > 1 ? nodes : ''}`,
    files: [],
  }
}

function unnamedDraft({ drafts }: Serving): string {
  return drafts && isUnnamed(drafts) ? ` --speculative-draft-model-path ${draftWord(drafts)}` : ''
}

/** By default SGLang listens at 127.0.0.1:30000, and its server of prompts tells of their caches at port 8998 (server_args.py). */
function doors(serving: Serving): string {
  const { transfers, mode } = serving
  if (!transfers) return ''
  const tells = mode === 'prefill' ? ` --disaggregation-bootstrap-port ${portOf(serving, 8998)}` : ''
  return ` --host 0.0.0.0 --port ${portOf(serving, 30_000)}${tells}`
}

function notes(serving: Serving): readonly string[] {
  return compact(
    !sharesServer(serving) && replicaNote(serving, 'SGLang'),
    groupsNote(serving),
    slotsNote(serving),
    pagesNote(serving, 'SGLang', pagesOf(serving)),
    headNote(
      serving.drafts,
      'SGLang',
      (tokens) =>
        `--speculative-algorithm EAGLE3 --speculative-draft-model-path … --speculative-num-steps ${tokens} --speculative-eagle-topk 1 --speculative-num-draft-tokens ${tokens + 1}`,
    ),
    longerNote(serving, 'SGLang', lengthOf(serving), longerVariables.sglang),
    graphNote(serving, 'SGLang'),
    kernelNotes(serving, 'SGLang'),
    unpackedNote(serving.setting, 'SGLang'),
    checkpointNote(serving, 'SGLang', sglangFormats),
    hostNotes(
      serving,
      'SGLang',
      replicaChips(serving),
      'a server over several of them takes --nnodes, --node-rank and --dist-init-addr.',
    ),
  )
}
