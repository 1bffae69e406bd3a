/**
 * A Python config that a text writes and its command names (`--module shardplan_config`), as far as overrides.ts writes such files: the named
 * config that it starts from, with the model and the stages that it has in its place.
 */
import type { Fields } from '../../../fields.ts'
import { type ModelSpec, type Registered, registered } from '../registry.ts'

export interface OwnConfig {
  readonly base: Registered
  readonly parallelism: Fields
}

export function ownConfig(module: unknown, documents: ReadonlyMap<string, string>): OwnConfig | undefined {
  const text = typeof module === 'string' ? documents.get(`${module.replaceAll('.', '/')}.py`) : undefined
  const [, config] = /^[ \t]*config = (\w+)\(\)/m.exec(text ?? '') ?? []
  const named = registered.find((row) => row.config === config)
  if (text === undefined || !named) return undefined
  const [, flavor] = /\bmodel_registry\("([^"\n]+)"/.exec(text) ?? []
  const base = flavor === undefined ? named : { ...named, flavor, spec: specIn(text) }
  return { base, parallelism: partsIn(text) }
}

function specIn(text: string): ModelSpec {
  const [, further] = /\bnum_mtp_layers=([1-9])\b/.exec(text) ?? []
  return {
    ...(further === undefined ? {} : { further: Number(further) }),
    ...(/\bFloat8LinearConverter\.Config\(/.test(text) ? { fp8: 'rowwise' } : {}),
    ...(/\bmoe_comm_backend="deepep"/.test(text) ? { kernels: 'deepep' } : {}),
  }
}

/** Modules of each stage; the last module has another name in the release. */
function partsIn(text: string): Fields {
  const [, list] = /\bmodule_fqns_per_model_part = (\[\[.*\]\])$/m.exec(text) ?? []
  if (list === undefined) return {}
  try {
    return { module_fqns_per_model_part: JSON.parse(list.replaceAll('"lm_head"', '"output"')) }
  } catch {
    return {}
  }
}
