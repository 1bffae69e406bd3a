/** What ranks of a server have of weights that they share out, and whether these are whole blocks of a quantised checkpoint. */
import { compact } from '../../compact.ts'
import type { WeightPart } from '../../model/weight-parts.ts'
import { elementBytes, usualType } from '../../recipe/element-type.ts'
import type { Rule } from '../../rules/rule.ts'
import { type BesideGroups, projectionOf } from './attention-groups.ts'
import { ranksOf, type Serving } from './serving.ts'

interface Sliced {
  readonly part: WeightPart
  readonly width: number
  readonly ranks: number
}

/** Ranks that divide the heads of one attention group. */
export function headRanks(serving: Serving): number {
  return ranksOf(serving) / serving.attentionGroups
}

/** Inner widths of the MLPs and experts that ranks share out. */
export function slicedWidths(serving: Serving): readonly Sliced[] {
  const { model, experts: places } = serving
  const { dFf, experts } = model
  const everywhere = experts !== null && experts.denseLayers === 0 && experts.every === 1
  const shared = (experts?.sharedExperts ?? 0) * (experts?.dFfExpert ?? 0)
  return compact<Sliced>(
    experts && !places?.whole && { part: 'experts', width: experts.dFfExpert, ranks: ranksOf(serving) },
    shared > 0 && { part: 'sharedExperts', width: shared, ranks: sharersOf(serving, 'experts') },
    !everywhere && { part: 'mlp', width: dFf, ranks: sharersOf(serving, 'mlp') },
  )
}

/** Ranks that share out what is not a routed expert: all of them, those of a group, or each has it whole. */
function sharersOf(serving: Serving, name: keyof BesideGroups): number {
  const { devices, mesh, sharingGroups } = serving
  if (mesh.expert > 1) return devices
  const sharers = { copied: ranksOf(serving) / sharingGroups, 'copied-all': devices }
  return sharers[projectionOf(serving, name) as keyof typeof sharers] ?? ranksOf(serving)
}

/**
 * Kernels for weights in fp8 with a scale for each block take slices of whole blocks. Source: vllm-project/vllm,
 * vllm/model_executor/layers/quantization/utils/fp8_utils.py (validate_fp8_block_shape) and fp8.py
 * (Fp8MoEMethod.create_weights), issue 17569; sgl-project/sglang, python/sglang/srt/layers/quantization/fp8.py.
 */
export function wholeBlocksRule(framework: string): Rule<Serving> {
  return {
    broken: (serving) => broken(serving).length > 0,
    says: (serving) => {
      const { rows = 1, columns = 1 } = serving.setting.precision.weightBlock ?? {}
      const cut = broken(serving).map(
        ({ part, width, ranks }) =>
          `${width} of ${said[part] ?? part} in ${ranks} slices of ${Number((width / ranks).toFixed(2))}`,
      )
      return `${framework} slices weights that are quantised in blocks of ${rows} x ${columns} by whole blocks; the plan has ${cut.join(', ')}`
    },
  }
}

const said: Readonly<Partial<Record<WeightPart, string>>> = {
  experts: 'F of experts',
  sharedExperts: 'F of shared experts',
  mlp: 'F',
  attention: 'columns of heads',
}

function broken(serving: Serving): readonly Sliced[] {
  const { weightBlock, parameterBytes } = serving.setting.precision
  if (!weightBlock) return []
  const sizes = [weightBlock.rows, weightBlock.columns]
  const isQuantized = (part: WeightPart) => (parameterBytes?.[part] ?? 1) < elementBytes[usualType]
  return [...slicedWidths(serving), ...slicedHeads(serving)].filter(
    ({ part, width, ranks }) =>
      ranks > 1 && isQuantized(part) && sizes.some((size) => (width / ranks) % size !== 0),
  )
}

/** Columns of queries, and of keys and values where heads are not copied; of latent attention those between the latent space and heads. */
function slicedHeads(serving: Serving): readonly Sliced[] {
  const { heads, kvHeads, headDim, attention } = serving.model
  const ranks = headRanks(serving)
  const columns = (width: number) => ({ part: 'attention', width, ranks }) as const
  const { latent } = attention
  if (latent) {
    const { nopeHeadDim, ropeHeadDim, valueHeadDim } = latent
    const each = [nopeHeadDim + ropeHeadDim, nopeHeadDim + valueHeadDim, valueHeadDim]
    return each.map((width) => columns(heads * width))
  }
  return [columns(heads * headDim), columns(Math.max(kvHeads, ranks) * headDim)]
}
