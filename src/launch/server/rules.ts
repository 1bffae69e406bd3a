/**
 * Rules of all serving frameworks. They divide the inner dimension of weights over one tensor axis (1D
 * weight-stationary), in whole heads; each key-value head is whole on a chip, or is copied to several. Source: as each
 * framework's own file.
 */

import { reachesPeers } from '../../hardware/vendor.ts'
import { faults, type Rule, unwrittenAmong } from '../../rules/rule.ts'
import type { LayoutFields } from '../../sharding/tables/inference-layout-fields.ts'
import { projectionUse } from '../../sharding/tables/inference-sharding.ts'
import { refusalOf, refusedFor, type Unsupported } from '../launch.ts'
import { type BesideGroups, groupRules } from './attention-groups.ts'
import { type Formats, formatRules } from './formats.ts'
import { hostChips, hostsOf, replicaChips } from './notes.ts'
import { rankWord, type Serving } from './serving.ts'
import { headRanks, slicedWidths } from './slices.ts'

/** A fault of the plan itself, whichever framework serves it. */
const beyondBudget = 'the plan does not fit into its memory budget'

export function exceedsBudget({ memory }: Pick<Serving, 'memory'>): boolean {
  return memory.total > memory.budget * (1 + 1e-12)
}

/** Whether the framework refuses the plan, and for nothing but that it does not fit. */
export function lacksMemoryAlone(flags: unknown): boolean {
  return refusalOf(flags)?.every(isBeyondBudget) ?? false
}

export function isBeyondBudget(reason: string): boolean {
  return reason === beyondBudget
}

export type ServingRules = readonly Rule<Serving>[]

export function servingRules(
  framework: string,
  formats: Formats,
  beside: BesideGroups,
  own: ServingRules,
): ServingRules {
  return [
    ...layoutRules(framework),
    ...groupRules(framework, beside),
    ...evenRules,
    ...formatRules(framework, formats),
    ...own,
  ]
}

/** Why a server cannot run as asked; for phases that are laid out apart, which phase is at fault, and that no one server does both. */
export function servingRefusal(rules: ServingRules, serving: Serving): Unsupported {
  const all = [...phaseFaults(rules, serving), ...(serving.unlike ? [oneServer] : [])]
  return refusedFor(all, phaseFaults(unwrittenAmong(rules), serving))
}

function phaseFaults(rules: ServingRules, serving: Serving): readonly string[] {
  const { prompts } = serving
  const own = faults(rules, serving)
  if (!prompts) return own
  const ofPrompts = faults(rules, prompts)
  // One server has one command, whichever phase it fails in.
  if (!serving.unlike) return [...new Set([...own, ...ofPrompts])]
  return [
    ...own.filter((sentence) => ofPrompts.includes(sentence)),
    ...ofPrompts.filter((sentence) => !own.includes(sentence)).map((sentence) => `prefill: ${sentence}`),
    ...own.filter((sentence) => !ofPrompts.includes(sentence)).map((sentence) => `generate: ${sentence}`),
  ]
}

const oneServer =
  'on the same chips both phases run in one server, which has one mesh and keeps weights and caches one way; the plan has each its own'

function layoutRules(framework: string): ServingRules {
  return [
    {
      broken: exceedsBudget,
      says: beyondBudget,
    },
    {
      broken: ({ mesh, tensors }) => mesh.expert > 1 && mesh.expert < tensors,
      says: ({ mesh, tensors }) =>
        `${framework} has experts whole on the chips that share them out; the plan slices each over ${tensors / mesh.expert}`,
    },
    {
      broken: ({ layouts }) => layouts.some(isOther),
      says: ({ layouts }) =>
        `${framework} lays weights out one way, as 1d does; the plan has ${layouts
          .filter(isOther)
          .map(([component, { name }]) => `${component} in ${name}`)
          .join(', ')}`,
    },
  ]
}

/** The framework always slices experts. */
export function slicedExpertsRule(framework: string): Rule<Serving> {
  return {
    broken: ({ experts }) => experts?.whole === true,
    says: `experts on chips of their own are not mapped to flags of ${framework}`,
    unwritten: true,
  }
}

/** The framework divides the positions of a cache only where tokens are generated. */
export function sharedPositionsRule(framework: string): Rule<Serving> {
  return {
    broken: ({ sharesPositions, mode }) => sharesPositions && mode === 'prefill',
    says: `${framework} shares out the positions of caches in generation, not in prefill`,
  }
}

/**
 * The best positions of a sequence are among those of all chips that share them out: vllm-project/vllm pull requests 46145 and 46178 and
 * sgl-project/sglang 31821 (2026) are under way.
 */
export function chosenPositionsRule(framework: string): Rule<Serving> {
  return {
    broken: ({ sharesPositions, model }) => sharesPositions && model.attention.index !== null,
    says: `${framework} does not share out positions that an index chooses among, in a release`,
  }
}

/** A state has no positions: vllm-project/vllm pull request 35082 (2026), "Mamba indeed is not supported in DCP". */
export function sharedStateRule(framework: string): Rule<Serving> {
  return {
    broken: ({ sharesPositions, model }) => sharesPositions && model.recurrence !== undefined,
    says: `${framework} does not share out the positions of caches beside the states of a recurrence`,
  }
}

/** Of servers on GPUs. */
export function sentExpertsRule(framework: string): Rule<Serving> {
  return {
    broken: ({ experts, setting }) => experts?.sends === true && !reachesPeers(setting.cluster),
    says: `${framework} sends tokens to experts by kernels that need NVLink, and these chips share a PCIe bus`,
  }
}

/** Whether weights lie whole in D, as these frameworks have them. */
export function laysOut({ projection }: LayoutFields): boolean {
  return projectionUse(projection).wholeColumns
}

function isOther([, layout]: Serving['layouts'][number]): boolean {
  return !laysOut(layout)
}

const evenRules: ServingRules = [
  {
    // As many ranks start on each host.
    broken: (serving) => replicaChips(serving) % hostsOf(serving, replicaChips(serving)) !== 0,
    says: (serving) =>
      `the ${replicaChips(serving)} chips of a server do not lie evenly on hosts of ${hostChips(serving)}`,
  },
  {
    broken: (serving) => serving.model.heads % headRanks(serving) !== 0,
    says: (serving) =>
      `${headRanks(serving)} ${rankWord(serving)} do not divide ${serving.model.heads} heads`,
  },
  {
    broken: (serving) => outputGroups(serving) % headRanks(serving) !== 0,
    says: (serving) =>
      `${headRanks(serving)} ${rankWord(serving)} do not divide ${outputGroups(serving)} groups of heads whose results have a low rank each`,
  },
  {
    broken: (serving) => {
      const { kvHeads, attention } = serving.model
      const ranks = headRanks(serving)
      return kvHeads % ranks !== 0 && ranks % kvHeads !== 0 && attention.latent === null
    },
    says: (serving) =>
      `${serving.model.kvHeads} key-value heads can neither be shared by ${headRanks(serving)} ${rankWord(serving)} nor be copied evenly`,
  },
  {
    // A plan has what a chip caches once; servers repeat heads (vllm-project/tpu-inference b8692ff, layers/common/attention_interface.py), or
    // make groups of attention of the ranks beyond them (layers/common/sharding.py, attn_dp), which commands say in no option that is read.
    broken: (serving) =>
      serving.devices > 1 && !serving.sharesPositions && cachedHeads(serving) % headRanks(serving) !== 0,
    says: (serving) =>
      `software sees ${serving.devices} devices on a chip, and ${headRanks(serving)} of them would keep copies of ${cachedHeads(serving)} key-value head${cachedHeads(serving) === 1 ? '' : 's'}, which the plan has once on each chip`,
    unwritten: true,
  },
  {
    broken: (serving) => slicedWidths(serving).some(({ width, ranks }) => width % ranks !== 0),
    says: (serving) =>
      slicedWidths(serving)
        .filter(({ width, ranks }) => width % ranks !== 0)
        .map(({ width, ranks }) => `${ranks} ${rankWord(serving)} do not divide F = ${width}`)
        .join('; '),
  },
]

/** 0, which all ranks divide, where heads are in no groups (vLLM's and SGLang's n_local_groups). */
function outputGroups({ model: { attention } }: Serving): number {
  return attention.compressed?.outputGroups ?? 0
}

/** Key-value heads of a cache, over which chips can divide it without copies: latent attention has one for all heads. */
export function cachedHeads({ model }: Serving): number {
  return model.attention.latent ? 1 : model.kvHeads
}
