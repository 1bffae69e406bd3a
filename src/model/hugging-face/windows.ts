/**
 * Which layers look back on a window only. A config says it by one size for all layers, by a period, or by a list of layer types,
 * one for each layer (transformers, configuration_utils.py, layer_type_validation). A pattern other than "all", "none" and "one global
 * layer in n" has no place in the model; every layer is then taken as global, an upper bound on memory and time.
 */
import { limits } from '../limits.ts'
import type { Cell, Windows } from './family.ts'
import type { Fields } from './fields.ts'

export const noWindow: Cell<Windows> = () => ({})

/** Every layer has the window, if there is one; where the field is absent, the window is `defaultWindow`. */
export function windowInAll(name: string, defaultWindow?: number): Cell<Windows> {
  return (fields) => listed(fields, name, defaultWindow) ?? windowOf(fields, name, 0, defaultWindow)
}

/** One layer in `otherwise` is global, unless the field `period` gives another number; an absent window is `defaultWindow`. */
export function globalEvery(
  name: string,
  period: string,
  otherwise: number,
  defaultWindow?: number,
): Cell<Windows> {
  return (fields) => {
    const every = fields.number([period], limits.layers) ?? otherwise
    return listed(fields, name, defaultWindow) ?? windowOf(fields, name, every, defaultWindow)
  }
}

/** In Qwen, windows count only where they are switched on, and in the layers from a border on. */
export function switchedWindows(defaultBorder: number): Cell<Windows> {
  return (fields) => {
    const on = fields.flag('use_sliding_window') ?? false
    const border = fields.count('max_window_layers', limits.layers) ?? defaultBorder
    const layers = fields.number(['num_hidden_layers'], limits.layers) ?? 0
    const types = layerTypes(fields, attentionTypes)
    const { window } = windowOf(fields, 'sliding_window', 0, 4096)
    if (!on || window === undefined) return {}
    const local = types
      ? types.map((type) => type !== 'full_attention')
      : Array.from({ length: layers }, (_, layer) => layer >= border)
    return patternOf(fields, window, local)
  }
}

function windowOf(fields: Fields, name: string, every: number, otherwise?: number): Windows {
  const given = fields.number([name], limits.positions)
  const window = fields.states(name) ? given : otherwise
  return window === undefined ? {} : { window, globalEvery: every }
}

function listed(fields: Fields, name: string, defaultWindow?: number): Windows | undefined {
  const types = layerTypes(fields, attentionTypes)
  if (!types) return undefined
  const { window } = windowOf(fields, name, 0, defaultWindow)
  if (window === undefined) return {}
  return patternOf(
    fields,
    window,
    types.map((type) => type !== 'full_attention'),
  )
}

const attentionTypes = ['full_attention', 'sliding_attention', 'chunked_attention']

/** The type of each layer, of those that are known; undefined where the config has no list of them. */
export function layerTypes(fields: Fields, known: readonly string[]): readonly unknown[] | undefined {
  const types = fields.list('layer_types')
  if (!types) return undefined
  const layers = fields.number(['num_hidden_layers'], limits.layers) ?? types.length
  if (types.length !== layers) fields.fault('layer_types', `has ${types.length} entries for ${layers} layers`)
  const other = types.findIndex((type) => typeof type !== 'string' || !known.includes(type))
  if (other >= 0) fields.fault(`layer_types/${other}`, `is none of ${known.join(', ')}`)
  return types
}

function patternOf(fields: Fields, window: number, local: readonly boolean[]): Windows {
  if (!local.includes(true)) return {}
  const every = local.indexOf(false) + 1
  if (every === 0) return { window, globalEvery: 0 }
  if (local.every((isLocal, layer) => isLocal === ((layer + 1) % every !== 0))) {
    return { window, globalEvery: every }
  }
  fields.note(
    `windows of ${window}: their layers follow no period, all are taken as attending to all positions`,
  )
  return {}
}
