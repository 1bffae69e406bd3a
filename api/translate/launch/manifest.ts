/**
 * The commands of containers that a manifest starts (Kubernetes, docker compose), as a shell script that says the same: one `docker run` for
 * each container with its image, command and arguments. Any other text stays as it is.
 */
import { parseAllDocuments } from 'yaml'
import { type Fields, isFields } from '../../../src/fields.ts'

const manifest = /^(apiVersion|services):/m
const deepest = 30

export function commandsOf(text: string): string {
  if (!manifest.test(text)) return text
  const documents = documentsOf(text)
  const found = documents.flatMap((document) => containersIn(document, 0))
  // A manifest is no script: without a command it starts what its image does.
  return documents.some(isFields) ? found.map(commandOf).join('\n') : text
}

/** None of a text that is no YAML. */
function documentsOf(text: string): readonly unknown[] {
  try {
    return parseAllDocuments(text, { logLevel: 'error' }).map((document) =>
      document.toJS({ maxAliasCount: 20 }),
    )
  } catch {
    return []
  }
}

function containersIn(value: unknown, depth: number): readonly Fields[] {
  if (typeof value !== 'object' || value === null || depth > deepest) return []
  const inside = Object.values(value).flatMap((one) => containersIn(one, depth + 1))
  const starts = isFields(value) && (value.command !== undefined || value.args !== undefined)
  return starts && typeof value.image === 'string' ? [value, ...inside] : inside
}

function commandOf({ image, entrypoint, command, args, env }: Fields): string {
  const variables = new Map(
    Array.isArray(env) ? env.filter(isFields).map(({ name, value }) => [name, value]) : [],
  )
  // Kubernetes puts variables of the container into its command and arguments.
  const filled = (word: string) =>
    word.replaceAll(/\$\((\w+)\)/g, (written, name) => String(variables.get(name) ?? written))
  const words = (given: unknown): readonly string[] =>
    Array.isArray(given)
      ? given.map((word) => quoted(filled(String(word))))
      : given === undefined
        ? []
        : [String(given)]
  return ['docker run', quoted(String(image)), ...words(entrypoint), ...words(command), ...words(args)].join(
    ' ',
  )
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
