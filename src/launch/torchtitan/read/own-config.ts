/**
 * A Python config that a text writes and its command names (`--module shardplan_config`), as far as overrides.ts writes such files: the named
 * config that it starts from, with the model and the stages that it has in its place.
 */
import type { Fields } from '../../../fields.ts'
import { type Registered, registered } from '../registry.ts'

export interface OwnConfig {
  readonly base: Registered
  readonly parallelism: Fields
}

export function ownConfig(module: unknown, documents: ReadonlyMap<string, string>): OwnConfig | undefined {
  const text = typeof module === 'string' ? documents.get(`${module.replaceAll('.', '/')}.py`) : undefined
  const [, config] = /^[ \t]*config = (\w+)\(\)/m.exec(text ?? '') ?? []
  const named = registered.find((row) => row.config === config)
  if (text === undefined || !named) return undefined
  const { fp8, ...base } = named
  const [, flavor] = /\bmodel_registry\("([^"\n]+)"/.exec(text) ?? []
  const casts = flavor === undefined ? fp8 : /\bFloat8LinearConverter\.Config\(/.test(text) || undefined
  return {
    base: { ...base, flavor: flavor ?? base.flavor, ...(casts ? { fp8: true } : {}) },
    parallelism: {
      ...(/\bmoe_comm_backend="deepep"/.test(text) ? { expert_parallel_comm_backend: 'deepep' } : {}),
      ...partsIn(text),
    },
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
