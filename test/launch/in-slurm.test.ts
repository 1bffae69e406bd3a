/** A change of the chips of a job of Slurm without torchrun is told in Slurm's own options. */
import { expect, it } from 'vitest'
import { inFile } from '../../src/launch/in-file.ts'

const launch = (options: string) => ({
  settings: {
    megatron: {},
    commands: { megatron: { command: `torchrun ${options} pretrain_gpt.py --tensor-model-parallel-size 8` } },
  },
  lacking: [],
})
const hosts = (nodes: number) =>
  `--nnodes ${nodes} --nproc-per-node 8${nodes > 1 ? ' --node-rank $SLURM_NODEID --master-addr a --master-port 29500' : ''}`

const told = (text: string, from: number, to: number, ofTasks = true) =>
  inFile(
    { framework: 'megatron', version: 'core_v0.19.0', text, follows: [], ofTasks },
    launch(hosts(from)),
    launch(hosts(to)),
  )

const script = (lines: string) => `#!/bin/bash\n${lines}\nsrun python pretrain_gpt.py`

it.each([
  ['#SBATCH --nodes=4\n#SBATCH --ntasks-per-node=8', 4, 2, ['#SBATCH --nodes=2'], []],
  ['#SBATCH -N 1\n#SBATCH --ntasks-per-node=8', 1, 2, ['#SBATCH --nodes=2'], ['-N']],
  ['#SBATCH --nodes=2 --ntasks=16', 2, 1, ['#SBATCH --nodes=1', '#SBATCH --ntasks=8'], []],
  ['#SBATCH --nodes=2 -n 16', 2, 4, ['#SBATCH --nodes=4', '#SBATCH --ntasks=32'], ['-n']],
  ['sbatch --nodes=4 run.sh', 4, 2, ['--nodes=2'], []],
] as const)('%j of %i nodes is told of %i', (lines, from, to, set, unset) => {
  expect(told(script(lines), from, to)).toEqual({ set, unset })
})

it('a job whose torchrun starts the ranks is told of torchrun', () => {
  expect(told('torchrun --nnodes 4 --nproc-per-node 8 pretrain_gpt.py', 4, 2, false)).toEqual({
    set: ['--nnodes 2'],
    unset: [],
  })
})

it('what counts its processes where it runs is told nowhere', () => {
  const few = launch('--nnodes 2 --nproc-per-node gpu')
  const file = { framework: 'megatron', version: 'core_v0.19.0', follows: [], ofTasks: true } as const
  expect(inFile({ ...file, text: script('#SBATCH -N 4') }, launch(hosts(4)), few)).toBeNull()
})
