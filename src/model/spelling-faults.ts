/** Faults of a model as it is spelled: parts that are legal by themselves but cannot stand together. */
import { compact } from '../compact.ts'
import { compressedFaults, type SpellingFault } from './compressed-faults.ts'
import { expertLayers } from './expert-layers.ts'
import { headDims } from './head-dims.ts'
import { type Block, blockLetters, letters, otherLetter } from './layer-pattern.ts'
import { attendingLayers } from './recurrence.ts'
import { type Spelling, spelledOut } from './spelling.ts'

export type { SpellingFault }

export function spellingFaults(spelling: Spelling): readonly SpellingFault[] {
  return [
    ...headFaults(spelling),
    ...patternFaults(spelling),
    ...compressedFaults(spelling),
    ...recurrenceFaults(spelling),
    ...layerFaults(spelling),
    ...expertFaults(spelling),
  ]
}

function headFaults(spelling: Spelling): readonly SpellingFault[] {
  const { heads, dModel, kvHeads, headDim, attention } = spelling
  const { kind, mla } = attention ?? {}
  if (kind === 'mla' && !mla) return [{ pointer: '/attention/mla', detail: 'is required for mla' }]
  if (mla) return latentFaults(spelling)
  const pointer = '/kvHeads'
  if (kind === 'gqa' && kvHeads === undefined) return [{ pointer, detail: 'is required for gqa' }]
  const given = kvHeads ?? (kind === 'mqa' ? 1 : heads)
  const implied = kind === 'mha' ? heads : kind === 'mqa' ? 1 : given
  if (given !== implied) {
    return [{ pointer, detail: `${kind} with ${heads} heads has ${implied} kvHeads, not ${given}` }]
  }
  if (heads % given !== 0) return [{ pointer, detail: `${given} does not divide the ${heads} heads` }]
  if (headDim !== undefined || Number.isInteger(dModel / heads)) return []
  const detail = `is required: dModel / heads = ${dModel} / ${heads} is not whole`
  return [{ pointer: '/headDim', detail }]
}

function latentFaults(spelling: Spelling): readonly SpellingFault[] {
  const { heads, kvHeads = heads, headDim, attention } = spelling
  if (attention?.kind && attention.kind !== 'mla') {
    return [{ pointer: '/attention/kind', detail: `is mla where mla is given, not ${attention.kind}` }]
  }
  if (kvHeads !== heads) {
    const detail = `latent attention has keys and values for each of the ${heads} heads, not ${kvHeads}`
    return [{ pointer: '/kvHeads', detail }]
  }
  const { key } = headDims(spelledOut('', spelling))
  if (headDim === undefined || headDim === key) return []
  return [{ pointer: '/headDim', detail: `is nopeHeadDim + ropeHeadDim = ${key} in mla, not ${headDim}` }]
}

function patternFaults({ layers, attention }: Spelling): readonly SpellingFault[] {
  const { window, globalEvery, kvShareGroup = 1, mla, index, compressed } = attention ?? {}
  const faults: SpellingFault[] = []
  if (window === undefined && globalEvery !== undefined) {
    faults.push({ pointer: '/attention/window', detail: 'is required with globalEvery' })
  }
  if (index && !compressed && (!mla || mla.queryRank === null)) {
    const detail = 'reads the latent queries: it needs mla with a queryRank, or compressed'
    faults.push({ pointer: '/attention/index', detail })
  }
  if (index && window !== undefined) {
    faults.push({ pointer: '/attention/window', detail: 'cannot stand beside an index of positions' })
  }
  if (kvShareGroup > layers) {
    const detail = `${kvShareGroup} layers cannot share a cache: there are ${layers}`
    faults.push({ pointer: '/attention/kvShareGroup', detail })
  }
  return faults
}

function recurrenceFaults(spelling: Spelling): readonly SpellingFault[] {
  const { recurrence, attention, parallelBlocks } = spelling
  const { index, mla, outputGate } = attention ?? {}
  const faults: SpellingFault[] = []
  if (outputGate && mla) {
    faults.push({ pointer: '/attention/outputGate', detail: 'is not modelled for latent attention' })
  }
  if (!recurrence) return faults
  const { heads, keyHeads } = recurrence
  if (heads % keyHeads !== 0) {
    const detail = `${keyHeads} heads of keys do not divide the ${heads} of values`
    faults.push({ pointer: '/recurrence/keyHeads', detail })
  }
  faults.push(...periodFaults(spelling, recurrence))
  if (index) faults.push({ pointer: '/attention/index', detail: 'cannot stand beside a recurrence' })
  if (parallelBlocks) faults.push({ pointer: '/parallelBlocks', detail: 'cannot stand beside a recurrence' })
  return faults
}

function periodFaults(
  spelling: Spelling,
  { attentionEvery, lastAttends }: NonNullable<Spelling['recurrence']>,
): readonly SpellingFault[] {
  const { layers, layerPattern } = spelling
  const pointer = '/recurrence/attentionEvery'
  if (layerPattern !== undefined) {
    const said = attentionEvery !== undefined || lastAttends !== undefined
    return said ? [{ pointer, detail: 'is not said where layerPattern says which layers attend' }] : []
  }
  if (attentionEvery === undefined)
    return [{ pointer, detail: 'is required, unless layerPattern says which layers attend' }]
  if (attendingLayers(spelledOut('', spelling)) > 0) return []
  const detail = `leaves no layer that attends: ${layers} layers, of which one in ${attentionEvery} does`
  return [{ pointer, detail }]
}

/** A pattern of layers, and what it cannot stand beside. */
function layerFaults(spelling: Spelling): readonly SpellingFault[] {
  const { layers, layerPattern, recurrence, moe, attention, parallelBlocks } = spelling
  if (layerPattern === undefined) return []
  const pointer = '/layerPattern'
  const other = otherLetter(layerPattern)
  if (other !== undefined) return [{ pointer, detail: `has ${other}, which is none of ${letters.join(' ')}` }]
  const has = (block: Block) => layerPattern.includes(blockLetters[block])
  const unlike = (block: Block, given: boolean, what: string) =>
    has(block) !== given &&
    `has ${has(block) ? '' : 'no '}${blockLetters[block]}, and the model has ${given ? '' : 'no '}${what}`
  const details = compact(
    layerPattern.length !== layers && `has ${layerPattern.length} letters for ${layers} layers`,
    !has('attending') && `leaves no layer that attends: it has no ${blockLetters.attending}`,
    unlike('recurrent', recurrence !== undefined, 'recurrence'),
    unlike('sparse', moe !== undefined, 'moe'),
    parallelBlocks && 'cannot stand beside parallelBlocks',
    attention?.index && 'cannot stand beside an index of positions',
    moe &&
      ((moe.denseLayers ?? 0) > 0 || (moe.every ?? 1) > 1) &&
      'says which layers have experts: denseLayers and every cannot stand beside it',
  )
  return details.map((detail) => ({ pointer, detail }))
}

function expertFaults(spelling: Spelling): readonly SpellingFault[] {
  const { layers, moe } = spelling
  if (!moe) return []
  const { experts, activeExperts, nodeLimit = 1 } = moe
  if (activeExperts > experts) {
    const detail = `${activeExperts} of ${experts} experts cannot be active`
    return [{ pointer: '/moe/activeExperts', detail }]
  }
  if (nodeLimit > experts) {
    const detail = `${experts} experts cannot be on ${nodeLimit} nodes`
    return [{ pointer: '/moe/nodeLimit', detail }]
  }
  if (spelling.layerPattern !== undefined || expertLayers(spelledOut('', spelling)) > 0) return []
  const { denseLayers = 0, every = 1 } = moe
  const detail = `leaves no layer with experts: ${layers} layers, ${denseLayers} dense ones first, then one in ${every}`
  return [{ pointer: denseLayers > 0 ? '/moe/denseLayers' : '/moe/every', detail }]
}
