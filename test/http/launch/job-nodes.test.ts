/** A job that is given fewer nodes, or fewer GPUs on each, than its torchrun is told of does not start; what it leaves idle is noted. */
import { describe, expect, it } from 'vitest'
import { heldToJob } from '../../../src/launch/read/launcher-world.ts'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const model =
  '--num-layers 32 --hidden-size 4096 --ffn-hidden-size 14336 --num-attention-heads 32 --group-query-attention --num-query-groups 8 --swiglu --normalization RMSNorm --position-embedding-type rope --disable-bias-linear --untie-embeddings-and-output-weights --vocab-size 128256 --tokenizer-type NullTokenizer --seq-length 4096 --max-position-embeddings 4096 --micro-batch-size 1 --global-batch-size 64 --bf16 --use-distributed-optimizer --train-iters 9 --lr 1e-4 --mock-data'
const job = (torchrun: string, workers: number, gpus = 8) => {
  const pods = (replicas: number) =>
    `{replicas: ${replicas}, template: {spec: {containers: [{name: p, image: nemo, command: [bash, -c], args: ['torchrun ${torchrun} pretrain_gpt.py ${model}'], resources: {limits: {nvidia.com/gpu: ${gpus}}}}]}}}`
  return `apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nspec:\n  pytorchReplicaSpecs:\n    Master: ${pods(1)}\n    Worker: ${pods(workers)}\n`
}

async function launches(megatron: string) {
  const { status, body } = await service({ search: planning })
    .post('/validate')
    .send({ hardware: { chip: 'h100-sxm' }, plan: { megatron }, require: { fits: false } })
  expect([status, body.errors]).toEqual([200, undefined])
  const check = body.checks.find(({ name }: { name: string }) => name === 'launchableBy')
  const warnings = body.warnings.join('\n') as string
  return { message: check.ok ? 'starts' : check.message, warnings, doubts: body.doubts }
}

it('a PyTorchJob has the pods of its Master and its Workers', async () => {
  const short = await launches(job('--nnodes=4 --nproc-per-node=8', 1))
  expect(short.message).toMatch(/job has 2 pods, and torchrun waits for 4 \(--nnodes\): it does not start/)
  expect((await launches(job('--nnodes=2 --nproc-per-node=8', 1))).message).toBe('starts')
  const crowded = await launches(job('--nnodes=2 --nproc-per-node=8', 1, 4))
  expect(crowded.message).toMatch(/starts 8 processes \(--nproc-per-node\) where there are 4 GPUs/)
  const idle = await launches(job('--nnodes=2 --nproc-per-node=4', 1))
  expect([idle.message, idle.warnings]).toEqual(['starts', expect.stringMatching(/8 GPUs, of which .* 4/)])
})

it('a job of Slurm without torchrun has a rank in each task, and is told of the GPUs that none has', async () => {
  const sent = (tasks: number) =>
    launches(
      `#!/bin/bash\n#SBATCH -N 4\n#SBATCH --ntasks-per-node=${tasks}\n#SBATCH --gres=gpu:8\nsrun -l sh -c "python pretrain_gpt.py ${model}"`,
    )
  const told = /4 nodes of 8 GPUs, and without torchrun each of its 4 tasks is one rank: 28 GPUs stay idle/
  const idle = await sent(1)
  expect([idle.warnings, idle.doubts]).toEqual([expect.stringMatching(told), [expect.stringMatching(told)]])
  expect((await sent(8)).warnings).not.toMatch(/idle/)
})

it("processes of MPI's launcher are ranks, and are held to the chips", async () => {
  const sent = async (mpi: string, chips: number) => {
    const { body } = await service({ search: planning })
      .post('/validate')
      .send({ hardware: { chip: 'h100-sxm', chips }, plan: { megatron: `${mpi} pretrain_gpt.py ${model}` } })
    return body
  }
  const counted = await sent('mpirun --allow-run-as-root -np 16 -x NCCL_DEBUG=INFO python', 32)
  expect(counted.errors).toEqual([expect.objectContaining({ pointer: '/hardware/chips' })])
  expect((await sent('mpirun -np 16 python', 16)).read.request.hardware.chips).toBe(16)
  expect((await sent('mpiexec -n 2 torchrun --nnodes 2 --nproc-per-node 8', 16)).errors).toBeUndefined()
})

describe('a job of Slurm', () => {
  const slurm = (options: string) =>
    heldToJob(`#!/bin/bash\n#SBATCH --nodes=4 --gpus-per-node=8\nsrun torchrun ${options} train.py`)

  it('may be sent with more nodes than its lines say, so that a note tells it alone', () => {
    expect(slurm('--nnodes 8 --nproc-per-node 8')).toEqual({
      notes: [expect.stringMatching(/has 4 nodes, and torchrun waits for 8 .* unless it is sent with more/)],
      refusals: [],
    })
  })

  const batch = (lines: string, command: string, more = {}) =>
    heldToJob(`#!/bin/bash\n#SBATCH --nodes=4 --gpus-per-node=8 ${lines}\n${command} train.py`, more)
  const four = '--nnodes 4 --nproc-per-node 8'

  it.each([
    ['of its lines', '--ntasks-per-node=8', `srun torchrun ${four}`],
    ['of srun', '--ntasks-per-node=1', `srun --ntasks-per-node=8 torchrun ${four}`],
    ['of a command in one word', '-n 32', `srun bash -c "torchrun ${four} train.py" --`],
    ["of MPI's launcher", '', `mpirun -np 32 torchrun ${four}`],
    ['of python', '--ntasks-per-node=8', `srun -l python -m torch.distributed.run ${four}`],
  ])('does not start torchrun more than once on a node: tasks %s', (_, lines, command) => {
    expect(batch(lines, command).refusals).toEqual([
      expect.stringMatching(/in each of 32 tasks, and it is told of 4 nodes .* it does not start$/),
    ])
  })

  it.each([
    ['of its lines', '--ntasks-per-node=1', `srun torchrun ${four}`],
    ['of srun', '--ntasks-per-node=8', `srun --ntasks-per-node=1 torchrun ${four}`],
    ['of srun, for all nodes', '--ntasks-per-node=8', `srun -n 4 torchrun ${four}`],
    ['that are not said', '', `srun torchrun ${four}`],
  ])('starts torchrun once on a node: tasks %s', (_, lines, command) => {
    expect(batch(lines, command)).toEqual({ notes: [], refusals: [] })
  })

  it('is told that torchrun of several nodes runs on the first alone, unless something starts it on the others', () => {
    expect(batch('', `torchrun ${four}`)).toEqual({
      notes: [
        expect.stringMatching(/4 nodes, and nothing in the script starts torchrun on those behind the/),
      ],
      refusals: [],
    })
    for (const starts of ['for h in $HOSTS; do ssh $h', 'pdsh -w $HOSTS', 'mpirun -np 4'])
      expect(batch('', `${starts} torchrun ${four}`).notes, starts).toEqual([])
  })

  it.each([
    ['--nnodes 4 --nproc-per-node gpu', 64, /at most 32 processes \(--nnodes 4, hosts of 8 GPUs\)/],
    ['--nnodes 1:4 --nproc-per-node 8', 64, /at most 32 processes \(--nnodes 1:4, --nproc-per-node 8\)/],
    ['--nnodes 4:8 --nproc-per-node auto', 2, /at least 4 processes/],
  ])('starts %s for no %i chips', (options, chips, said) => {
    const { refusals } = heldToJob(`torchrun ${options} train.py`, { chips, hostChips: 8 })
    expect(refusals).toEqual([expect.stringMatching(said)])
    expect(heldToJob(`torchrun ${options} train.py`, { chips: 25, hostChips: 8 }).refusals).toEqual([])
  })

  it.each([
    ['--nnodes 2 --nproc-per-node eight', '--nproc-per-node eight'],
    ['--nnodes two --nproc-per-node 8', '--nnodes two'],
  ])('has a torchrun of counts: %s', (options, said) => {
    expect(heldToJob(`torchrun ${options} train.py`).refusals).toEqual([
      `torchrun ends at ${said}: it does not start`,
    ])
  })

  it('is told what stays idle, and nothing where all is used or is not said', () => {
    const none = { notes: [], refusals: [] }
    expect(slurm('--nnodes 2 --nproc-per-node 4').notes).toEqual([
      'the job has 4 nodes, of which torchrun starts on 2 (--nnodes): the others stay idle',
      'a node has 8 GPUs, of which torchrun takes 4 (--nproc-per-node): the others stay idle',
    ])
    expect(slurm('--nnodes $SLURM_NNODES --nproc-per-node 8')).toEqual(none)
    expect(slurm('--nnodes 1:8 --nproc-per-node auto')).toEqual(none)
    expect(slurm('--nnodes $N --nproc-per-node gpu')).toEqual(none)
  })
})
