/**
 * The commands of containers that a manifest starts (Kubernetes, docker compose), as a shell script that says the same: one `docker run` for
 * each container with its image, command and arguments, behind the files of its ConfigMaps. Any other text stays as it is.
 */
import { type Fields, isFields } from '../../../src/fields.ts'
import { described } from './described.ts'
import { quoted } from './quoted.ts'
import { yamlDocuments } from './yaml-documents.ts'

const manifest = /^(apiVersion|services):/m
const deepest = 30

export function commandsOf(text: string): string {
  const documents = documentsOf(text)
  if (!documents) return described(text) ?? text
  const found = documents.flatMap((document) => containersIn(document, [], 0))
  // A manifest is no script: without a command it starts what its image does.
  return documents.some(isFields) ? [...documents.flatMap(filesIn), ...found.map(commandOf)].join('\n') : text
}

/** Null for a text that is no manifest; none of one that is no YAML. */
export function documentsOf(text: string): readonly unknown[] | null {
  return yamlDocuments(text, manifest)
}

/** The files of a ConfigMap, as a script writes them. */
function filesIn(document: unknown): readonly string[] {
  if (!isFields(document) || document.kind !== 'ConfigMap' || !isFields(document.data)) return []
  return Object.entries(document.data).flatMap(([name, text]) =>
    typeof text === 'string' && text.includes('\n') ? fileWritten(name, text) : [],
  )
}

/** A file as a script writes it; nothing if it has all the words that could end it. */
export function fileWritten(name: string, text: string): readonly string[] {
  const lines = text.split('\n')
  const end = ['EOF', 'END', 'END_OF_FILE'].find((word) => !lines.includes(word))
  return end === undefined ? [] : [`cat > ${quoted(name)} <<'${end}'\n${text.replace(/\n$/, '')}\n${end}`]
}

type Variable = readonly [name: string, value: string]

interface Container {
  readonly written: Fields
  /** Variables that whatever starts it sets. */
  readonly given: readonly Variable[]
}

/** What torchrun takes from its environment in place of options (`PET_NNODES`), of those that say how many processes there are. */
const ofTorchrun = { PET_NNODES: '--nnodes', PET_NPROC_PER_NODE: '--nproc-per-node' } as const

function containersIn(value: unknown, given: readonly Variable[], depth: number): readonly Container[] {
  if (typeof value !== 'object' || value === null || depth > deepest) return []
  const told = isFields(value) ? [...given, ...ofGroup(value.leaderWorkerTemplate), ...ofJob(value)] : given
  const parts = isFields(value) && value.leaderTemplate !== undefined ? workersFirst(value) : inOrder(value)
  const inside = parts.flatMap(([one, own]) => containersIn(one, [...told, ...own], depth + 1))
  if (!isFields(value)) return inside
  // A patch of another manifest leaves the image to that one.
  const starts = value.command !== undefined || (value.args !== undefined && typeof value.image === 'string')
  return starts ? [{ written: value, given: told }, ...inside] : inside
}

/** What a LeaderWorkerSet tells each pod of a group; the leader's index. Source: kubernetes-sigs/lws 060ab4d, pkg/utils/pod/pod_utils.go; one pod if it is not said. */
function ofGroup(template: unknown): readonly Variable[] {
  if (!isFields(template)) return []
  return [
    ['LWS_GROUP_SIZE', String(template.size ?? 1)],
    ['LWS_WORKER_INDEX', '0'],
  ]
}

/** A part of a manifest, with what pods in it are told beside those around it. */
type Part = readonly [part: unknown, given: readonly Variable[]]

function inOrder(value: object): readonly Part[] {
  return Object.values(value).map((one) => [one, []])
}

/** A group whose leader has a template of its own: its command comes last, as the one that is read, and the others are no leaders. */
function workersFirst({ leaderTemplate, ...others }: Fields): readonly Part[] {
  return [
    ...Object.values(others).map((one): Part => [one, [['LWS_WORKER_INDEX', '1']]]),
    [leaderTemplate, []],
  ]
}

/**
 * What a PyTorchJob tells the torchrun of each pod, where it is no elastic one: a pod of each replica, with the processes of nprocPerNode.
 * Source: kubeflow/training-operator, pkg/controller.v1/pytorch/envvar.go (EnvNnodes, EnvNprocPerNode).
 */
function ofJob({ pytorchReplicaSpecs: replicas, nprocPerNode, elasticPolicy }: Fields): readonly Variable[] {
  if (!isFields(replicas) || isFields(elasticPolicy)) return []
  const counts = Object.values(replicas).map((one) => (isFields(one) ? Number(one.replicas ?? 1) : 0))
  const each = /^[1-9]\d*$/.test(String(nprocPerNode)) ? String(nprocPerNode) : null
  const nodes = counts.reduce((sum, count) => sum + count, 0)
  return [['PET_NNODES', String(nodes)], ...(each === null ? [] : [['PET_NPROC_PER_NODE', each] as const])]
}

/** A text of words in which torchrun has the options that its environment says, where it is not told them. */
function withOptions(text: string, variables: ReadonlyMap<string, string>): string {
  const options = Object.entries(ofTorchrun).flatMap(([name, option]) => {
    const value = variables.get(name)
    const told = new RegExp(option.replaceAll('-', '[-_]')).test(text)
    return value === undefined || told ? [] : [`${option} ${value}`]
  })
  if (options.length === 0) return text
  return text.replace(
    /\b(torchrun|torch\.distributed\.run)(?=['"]?\s)'?/,
    (found) => `${found} ${options.join(' ')}`,
  )
}

function commandOf({ written, given }: Container): string {
  const { image, entrypoint, command, args, env, environment } = written
  const composed = [...variablesIn(environment)].map(([name, value]) => [name, defaulted(value)] as const)
  const variables = new Map([...given, ...variablesIn(env), ...composed])
  // Kubernetes puts variables of the container into its command and arguments; compose has two signs for one that it leaves to the shell.
  const filled = (word: string) =>
    (environment === undefined ? word : defaulted(word))
      .replaceAll(/\$\((\w+)\)/g, (as, name) => variables.get(name) ?? as)
      .replaceAll('$$', () => '$')
  const words = (some: unknown): readonly string[] =>
    Array.isArray(some)
      ? some.map((word) => quoted(filled(String(word))))
      : some === undefined
        ? []
        : [filled(onOneLine(String(some)))]
  const run = [...words(entrypoint), ...words(command), ...words(args)]
  const set = [...variables].map(([name, value]) => `${name}=${quoted(value)}`)
  const started = withOptions(run.join(' '), variables)
  return [...set, ...(typeof image === 'string' ? ['docker run', quoted(image)] : []), started].join(' ')
}

/** What compose fills in where its own environment, which is not here, says nothing; a container's variables are no part of that. */
function defaulted(text: string): string {
  return text.replaceAll(/(?<!\$)\$\{\w+:?-([^}]*)\}/g, (_, value: string) => value)
}

/** A command that is one text is split into words, not run by a shell: its lines, where no quotes hold them, are one. */
function onOneLine(text: string): string {
  return text.replaceAll(/'[^']*'|"(?:\\[\s\S]|[^"\\])*"|\\?\n\s*/g, (part) =>
    /^['"]/.test(part) ? part : ' ',
  )
}

/** Variables as Kubernetes lists them (`name`, `value`) or as compose does: `NAME=value` each, or a key each. */
function variablesIn(given: unknown): readonly Variable[] {
  const pairs = Array.isArray(given)
    ? given.map((one): readonly unknown[] =>
        isFields(one) ? [one.name, one.value] : String(one).split(/=([\s\S]*)/),
      )
    : Object.entries(isFields(given) ? given : {})
  return pairs.flatMap(([name, value]) =>
    /^[A-Za-z_]\w*$/.test(String(name)) && value !== undefined && value !== null
      ? [[String(name), String(value)] as const]
      : [],
  )
}
