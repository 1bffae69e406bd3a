import { type ScalarTag, stringify } from 'yaml'
import { rememberedOf } from '../../src/known.ts'
import type { OpenApiDocument } from './document.ts'

/** A number such as `1e-9` as YAML 1.1 has it: without a point in it, it is a text there. */
const pointed: ScalarTag = {
  tag: 'tag:yaml.org,2002:float',
  default: true,
  identify: (value) => typeof value === 'number' && /^-?\de/.test(String(value)),
  test: /^-?\d\.0e[-+]\d+$/,
  resolve: Number,
  stringify: ({ value }) => String(value).replace('e', '.0e'),
}

/**
 * Writes the document without anchors, for readers that do not support them: an object that is used twice is written twice. Parsers of
 * YAML 1.1, as many are, read the same as those of 1.2: what is another value there (`on`, `1_000`, `12:30`) is quoted.
 */
export const openApiYaml = rememberedOf((document: OpenApiDocument): string =>
  stringify(document, {
    ...{ aliasDuplicateObjects: false, lineWidth: 110, compat: 'yaml-1.1' },
    customTags: (tags) => [pointed, ...tags],
  }),
)
