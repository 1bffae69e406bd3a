import { stringify } from 'yaml'
import type { OpenApiDocument } from './document.ts'

/** Writes the document without anchors, for readers that do not support them: an object that is used twice is written twice. */
export function openApiYaml(document: OpenApiDocument): string {
  return stringify(document, { aliasDuplicateObjects: false, lineWidth: 110 })
}
