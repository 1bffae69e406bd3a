/**
 * Nodes and processes that torchrun is told of, against the nodes and GPUs that its job is given. Its rendezvous waits until all nodes
 * have come and ends with an error; a process without a GPU of its own is one of an invalid device (torch.cuda.set_device). What a job of
 * Slurm is given may be said otherwise where it is sent (sbatch -N), so that only a note tells it. Source: docs.pytorch.org, "torchrun".
 */
import { compact } from '../../compact.ts'
import { counted } from '../../plan/explain/figures.ts'
import { isFilledIn, type Options, optionsOf } from './options.ts'
import { readScript, type Script } from './shell/script.ts'
import { crowdedTasks, lonelyNode } from './torchrun-tasks.ts'
import { countOf, type Nodes, nodesOf, processesOf } from './world.ts'

/** What the job has, as far as it is said. */
export interface Job {
  /** GPUs of a container. */
  readonly podGpus?: number | undefined
  readonly pods?: number | undefined
  /** Tasks of Slurm that are its ranks. */
  readonly tasks?: number | undefined
  /** Chips that the request says, and how many of them are on a host. */
  readonly chips?: number | undefined
  readonly hostChips?: number | undefined
}

interface Held {
  readonly notes: readonly string[]
  /** Those of the notes for which nothing starts. */
  readonly refusals: readonly string[]
}

export function heldToJob(text: string, { podGpus, pods: jobPods, tasks, chips, hostChips }: Job = {}): Held {
  const { commands, variables } = readScript(text)
  const at = commands.findLastIndex((command) => command.some((word) => launcher.test(word)))
  const words = commands[at]
  if (!words) return { notes: compact(tasks !== undefined && idleTasks(variables, tasks)), refusals: [] }
  const options = optionsOf(words)
  const told = nodesOf(options)
  const [nodes, most, each] = [told?.least, told?.most, processesOf(options) ?? undefined]
  const pods = numberIn(variables, 'PET_NNODES', 'LWS_GROUP_SIZE') ?? jobPods
  const hosts = pods ?? numberIn(variables, 'SLURM_NNODES')
  const gpus = podGpus ?? numberIn(variables, 'SLURM_GPUS_ON_NODE')
  const kind = pods === undefined ? 'node' : 'pod'
  const waits =
    nodes !== undefined &&
    hosts !== undefined &&
    nodes > hosts &&
    `the job has ${counted(hosts, kind)}, and torchrun waits for ${nodes} (--nnodes)`
  const crowds =
    each !== undefined &&
    gpus !== undefined &&
    each > gpus &&
    `torchrun starts ${each} processes (--nproc-per-node) where there are ${counted(gpus, 'GPU')}`
  const surely = compact(
    pods !== undefined && waits,
    podGpus !== undefined && crowds,
    misspelt(options),
    told && outOfReach(options, told, chips, podGpus ?? hostChips),
    crowdedTasks(commands.slice(0, at + 1), variables, nodes),
  )
  const perhaps = compact(pods === undefined && waits, podGpus === undefined && crowds)
  const refusals = surely.map((one) => `${one}: it does not start`)
  return {
    notes: compact(
      refusals,
      perhaps.map((one) => `${one}: it does not start unless it is sent with more`),
      most !== undefined &&
        hosts !== undefined &&
        most < hosts &&
        `the job has ${counted(hosts, kind)}, of which torchrun starts on ${most} (--nnodes): the others stay idle`,
      each !== undefined &&
        gpus !== undefined &&
        each < gpus &&
        `a ${kind} has ${counted(gpus, 'GPU')}, of which torchrun takes ${each} (--nproc-per-node): the others stay idle`,
      pods === undefined && lonelyNode(commands, variables, nodes),
    ),
    refusals,
  }
}

/** Counts that its parser ends at; what a shell or a template fills in is not known. */
function misspelt(options: Options): string | null {
  for (const { names, takes } of counts) {
    const said = options.text(...names)
    if (said !== null && !isFilledIn(said) && !takes.test(said))
      return `torchrun ends at ${names[0]} ${said.slice(0, 100)}`
  }
  return null
}

const counts = [
  { names: ['--nnodes'], takes: /^\d+(:\d+)?$/ },
  { names: ['--nproc-per-node', '--nproc_per_node'], takes: /^(\d+|auto|gpu|cpu|xpu)$/ },
] as const

/** Where torchrun counts the GPUs of its nodes itself, or takes as many nodes as come, it may still have fewer ranks, or more, than there are chips. */
function outOfReach(
  options: Options,
  nodes: Nodes,
  chips: number | undefined,
  host: number | undefined,
): string | null {
  const each = processesOf(options)
  if (chips === undefined) return null
  const [least, most] = [nodes.least * (each ?? 1), nodes.most * (each ?? host ?? Number.POSITIVE_INFINITY)]
  if (least === most || (least <= chips && chips <= most)) return null
  const counts = each === null ? `hosts of ${host ?? 'some'} GPUs` : `--nproc-per-node ${each}`
  const bound = chips > most ? `at most ${most}` : `at least ${least}`
  return `torchrun starts ${bound} processes (--nnodes ${options.text('--nnodes')}, ${counts}), and the request has ${chips} chips`
}

/** What a job of Slurm leaves idle whose tasks are its ranks, with no launcher between: each of them has one GPU. */
function idleTasks(variables: Script['variables'], tasks: number): string | null {
  const [nodes, gpus] = [numberIn(variables, 'SLURM_NNODES') ?? 1, numberIn(variables, 'SLURM_GPUS_ON_NODE')]
  if (gpus === undefined || tasks >= nodes * gpus) return null
  return `the job has ${counted(nodes, 'node')} of ${counted(gpus, 'GPU')}, and without torchrun each of its ${counted(tasks, 'task')} is one rank: ${nodes * gpus - tasks} GPUs stay idle (--ntasks-per-node=${gpus} would start a rank on each)`
}

const launcher = /(^|\/)torchrun$|^torch\.distributed\.(run|launch)$/

function numberIn(variables: Script['variables'], ...names: readonly string[]): number | undefined {
  return names.map((name) => countOf(variables.get(name)?.[0])).find((one) => one !== undefined)
}
