/** Manifests and charts of Kubernetes of which no command is read, by what they are, as the end of a message; null for any other text. */
import { isFields } from '../../src/fields.ts'

export function foreignManifest(text: string, body: unknown): string | null {
  if (/\{\{-?\s*(\.Values|\.Release|include|template|if|range|with|define)\b/.test(text))
    return 'it is a template of Helm, which is not filled in: give what `helm template` prints (--launch FRAMEWORK=FILE)'
  const kinds = [...text.matchAll(/^kind: *["']?(\w+)/gm)].map(([, kind]) => kind)
  if (kinds.length > 0 && /^apiVersion:/m.test(text))
    return `it is a manifest of Kubernetes (${[...new Set(kinds)].slice(0, 5).join(', ')}) in which no program of a framework that is read is started: give the command that its container runs (--launch FRAMEWORK=FILE)`
  return isFields(body) && ofChart.some((key) => key in body)
    ? 'it has the values of a chart of Helm, whose templates make the command of them: give what `helm template` prints, or the script that the job runs (--launch FRAMEWORK=FILE)'
    : null
}

/** Keys of values that charts commonly have, and requests never. */
const ofChart = [
  'nameOverride',
  'fullnameOverride',
  'replicaCount',
  'serviceAccount',
  'podAnnotations',
  'tolerations',
  'targetPlatform',
  'dwsSettings',
  'queue',
  'secrets',
  'volumes',
  'global',
]
