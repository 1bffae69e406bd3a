/**
 * Nodes and processes that torchrun is told of, against the nodes and GPUs that its job is given. Its rendezvous waits until all nodes
 * have come and ends with an error; a process without a GPU of its own is one of an invalid device (torch.cuda.set_device). What a job of
 * Slurm is given may be said otherwise where it is sent (sbatch -N), so that only a note tells it. Source: docs.pytorch.org, "torchrun".
 */
import { compact } from '../../compact.ts'
import { counted } from '../../plan/explain/figures.ts'
import { optionsOf } from './options.ts'
import { readScript, type Script } from './shell/script.ts'

interface Held {
  readonly notes: readonly string[]
  /** Those of the notes for which nothing starts. */
  readonly refusals: readonly string[]
}

/** `podGpus` are those of a container, `jobPods` the pods that its job has, and `tasks` those of Slurm that are its ranks. */
export function heldToJob(text: string, podGpus: number | undefined, jobPods?: number, tasks?: number): Held {
  const { commands, variables } = readScript(text)
  const words = commands.findLast((command) => command.some((word) => launcher.test(word)))
  if (!words) return { notes: compact(tasks !== undefined && idleTasks(variables, tasks)), refusals: [] }
  const options = optionsOf(words)
  const nodes = numberOf(options.text('--nnodes'))
  const each = numberOf(options.text('--nproc-per-node', '--nproc_per_node'))
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
  const surely = compact(pods !== undefined && waits, podGpus !== undefined && crowds)
  const perhaps = compact(pods === undefined && waits, podGpus === undefined && crowds)
  const refusals = surely.map((one) => `${one}: it does not start`)
  return {
    notes: compact(
      refusals,
      perhaps.map((one) => `${one}: it does not start unless it is sent with more`),
      nodes !== undefined &&
        hosts !== undefined &&
        nodes < hosts &&
        `the job has ${counted(hosts, kind)}, of which torchrun starts on ${nodes} (--nnodes): the others stay idle`,
      each !== undefined &&
        gpus !== undefined &&
        each < gpus &&
        `a ${kind} has ${counted(gpus, 'GPU')}, of which torchrun takes ${each} (--nproc-per-node): the others stay idle`,
    ),
    refusals,
  }
}

/** What a job of Slurm leaves idle whose tasks are its ranks, with no launcher between: each of them has one GPU. */
function idleTasks(variables: Script['variables'], tasks: number): string | null {
  const [nodes, gpus] = [numberIn(variables, 'SLURM_NNODES') ?? 1, numberIn(variables, 'SLURM_GPUS_ON_NODE')]
  if (gpus === undefined || tasks >= nodes * gpus) return null
  return `the job has ${counted(nodes, 'node')} of ${counted(gpus, 'GPU')}, and without torchrun each of its ${counted(tasks, 'task')} is one rank: ${nodes * gpus - tasks} GPUs stay idle (--ntasks-per-node=${gpus} would start a rank on each)`
}

const launcher = /(^|\/)torchrun$|^torch\.distributed\.(run|launch)$/

function numberIn(variables: Script['variables'], ...names: readonly string[]): number | undefined {
  return names.map((name) => numberOf(variables.get(name)?.[0] ?? null)).find((one) => one !== undefined)
}

/** Undefined for words (`auto`), ranges (`1:4`) and what the text does not set. */
function numberOf(text: string | null): number | undefined {
  return /^[1-9]\d{0,8}$/.test(text ?? '') ? Number(text) : undefined
}
