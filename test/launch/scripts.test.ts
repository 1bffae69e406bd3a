/** Scripts that start or source others, that take arguments, and that choose by a word: read as far as the text has them. */
import { describe, expect, it } from 'vitest'
import { withScripts } from '../../api/cli/beside.ts'
import { UnreadableFile } from '../../api/cli/usage-error.ts'
import { readMegatron } from '../../src/launch/megatron/read/read.ts'
import { readScript } from '../../src/launch/read/shell/script.ts'

const last = (script: string) => readScript(script).commands.at(-1)
const noted = (script: string) => readScript(script).notes

// NVIDIA/Megatron-LM core_v0.19.0, examples/academic_paper_scripts/sc21, three of its sizes, with its data left out
const table = {
  'sc21/run_table_1.sh': [
    '#!/bin/bash\nMODEL_SIZE=76B',
    'if [ ${MODEL_SIZE} == "1.7B" ]; then TP=1; PP=1; MBS=16; GBS=512; NLS=24; HS=2304; NAH=24; NNODES=4; MEGATRON_EXTRA_PARAMS="--activations-checkpoint-method uniform "',
    'elif [ ${MODEL_SIZE} == "76B" ]; then\n TP=8\n PP=4\n MBS=2\n GBS=1792\n NLS=60\n HS=10240\n NAH=80\n NNODES=128\n MEGATRON_EXTRA_PARAMS="--activations-checkpoint-method uniform --num-layers-per-virtual-pipeline-stage 5"',
    'else\n echo "Invalid configuration"\n exit 1\nfi',
    'export JOB_NAME=table_${MODEL_SIZE}\n# Import the configs.\n. `pwd`/CONFIG.sh\n. `pwd`/SBATCH.sh\nexit 0\n',
  ].join('\n'),
  'sc21/CONFIG.sh':
    '#!/bin/bash\nexport MEGATRON_CODE_DIR=/code\nexport MEGATRON_PARAMS=" ${MEGATRON_EXTRA_PARAMS} \\\n --tensor-model-parallel-size ${TP} --pipeline-model-parallel-size ${PP} --micro-batch-size ${MBS} --global-batch-size ${GBS} \\\n --num-layers ${NLS} --hidden-size ${HS} --num-attention-heads ${NAH} --seq-length 2048 --max-position-embeddings 2048 --fp16 "\n',
  'sc21/SBATCH.sh':
    '#!/bin/bash\nsbatch -p ${SLURM_PARTITION} \\\n  --job-name=${JOB_NAME} \\\n  --nodes=${NNODES} \\\n  --export=MEGATRON_CODE_DIR,MEGATRON_PARAMS SRUN.sh\nexit 0\n',
  'sc21/SRUN.sh':
    '#!/bin/bash\n#SBATCH -t 0:30:00 --exclusive --mem=0 --overcommit --ntasks-per-node=8\nCMD="python -u ${MEGATRON_CODE_DIR}/pretrain_gpt.py ${MEGATRON_PARAMS}"\nsrun -l --container-image "a" sh -c "${CMD}"\n',
}

const beside =
  (files: Readonly<Record<string, string>>) =>
  (name: string): string => {
    const text = files[name]
    if (text === undefined) throw new UnreadableFile(`cannot read ${name}`)
    return text
  }

describe('a script with others beside it', () => {
  const whole = withScripts(table['sc21/run_table_1.sh'], 'sc21/run_table_1.sh', beside(table))

  it('is the job that they make together', () => {
    const { hardware, workload, plan, faults, model } = readMegatron(whole, null)
    expect(faults).toEqual([])
    expect([hardware, model]).toMatchObject([{ chips: 1024 }, { layers: 60, dModel: 10240 }])
    expect(workload).toMatchObject({ batchSequences: 1792 })
    expect(plan).toMatchObject({
      mesh: { tensor: 8, pipeline: 4, data: 32 },
      ...{ virtualStages: 3, microbatches: 28, rematerialization: 'full' },
    })
  })
})

it('a script of a repository finds those that lie above it, up to its root', () => {
  const files = {
    'r/.git/HEAD': 'ref',
    'r/all.sh': 'source conf/own.conf\nrun $1 $A',
    'r/conf/own.conf': 'A=2',
    'out.sh': 'run out',
  }
  const read = beside(files)
  expect(last(withScripts('bash all.sh 8', 'r/a/b/go.sh', read))).toEqual(['run', '8', '2'])
  expect(last(withScripts('bash out.sh', 'r/a/b/go.sh', read))).toEqual(['bash', 'out.sh'])
  expect(
    last(
      withScripts('bash all.sh 8', 'r/a/b/go.sh', beside({ ...files, 'r/.git/HEAD': undefined as never })),
    ),
  ).toEqual(['bash', 'all.sh', '8'])
})

describe('a script that the text has as a file', () => {
  const file = (name: string, body: string) => `cat > ${name} <<'EOF'\n${body}\nEOF\n`

  it.each([
    ['sourced', `${file('c.sh', 'A=2')}A=1\nsource ./c.sh\nrun $A`, ['run', '2']],
    ['started', `${file('c.sh', 'A=2\nrun $A')}A=1\nbash c.sh\nrun $A`, ['run', '1']],
    [
      'started with arguments',
      `${file('c.sh', 'run $1 ${2:-y} ${3:-z} $#')}bash -x c.sh 8B 4`,
      ['run', '8B', '4', 'z', '2'],
    ],
    ['started by itself', `${file('c.sh', 'run $1')}chmod +x c.sh\n./c.sh 3`, ['run', '3']],
    [
      'handed what it is handed',
      `${file('c.sh', 'run --a "$@" $1')}bash c.sh "x y" z`,
      ['run', '--a', 'x y', 'z', 'x', 'y'],
    ],
    ['given to a program', `N=3\nbash <<EOF\nrun $N\nEOF`, ['run', '3']],
    ['given to another machine', `N=3\nssh host bash -s <<EOF\nrun $N\nEOF`, ['run', '3']],
    ['given to all tasks of a job', `N=3\nsrun -N 2 bash -l <<EOF\nrun $N\nEOF`, ['run', '3']],
    ['printed into a shell', `N=3\ncat > c <<C; cat <<EOF | bash -s\nx\nC\nrun $N\nEOF`, ['run', '3']],
    ['of a name that a program has too', `${file('python', 'run $1')}python 3`, ['python', '3']],
  ])('is read where it is %s', (_how, text, words) => {
    expect(readScript(text).commands).toContainEqual(words)
  })

  it('has the nodes that sbatch says, before those of its own lines', () => {
    const job = file('j.sh', '#SBATCH --nodes=1 --ntasks-per-node=8\nrun $SLURM_NNODES $SLURM_NTASKS')
    expect(last(`${job}sbatch -N 4 --gres=gpu:8 j.sh`)).toEqual(['run', '4', '32'])
  })

  it('that calls itself ends', () => {
    const { commands, notes } = readScript(`${file('c.sh', 'bash c.sh\n'.repeat(2000))}bash c.sh\n`)
    expect(commands.length).toBeLessThan(200_000)
    expect(notes.join()).toMatch(/what its scripts call is too long/)
  })
})

describe('arguments', () => {
  it.each([
    ['set -- a "b c"; run "$@"', ['run', 'a', 'b c']],
    ['set -- a b c; shift; run $1 $#', ['run', 'b', '2']],
    ['run ${1:-8B} $2', ['run', '8B', '$2']],
  ])('%s', (text, words) => {
    expect(last(text)).toEqual(words)
  })
})

describe('a choice by a word', () => {
  const chosen = (word: string) =>
    `N=${word}\ncase "$N" in\n  1|2) TP=1 ;;\n  # more\n  "4") TP=2; PP=2\n  ;;\n  8*) case $N in 8) TP=8;; *) TP=80;; esac ;;\n  *)\n    TP=16 ;;\nesac\nrun $TP`

  it.each([
    ['1', '1'],
    ['2', '1'],
    ['4', '2'],
    ['8', '8'],
    ['81', '80'],
    ['3', '16'],
  ])('of %s is the branch of its pattern', (word, tensor) => {
    expect(last(chosen(word))).toEqual(['run', tensor])
    expect(noted(chosen(word))).toEqual([])
  })

  it('of what is not known reads each branch, and says so', () => {
    expect(noted(chosen('$UNSET')).join()).toMatch(/conditions and loops are not decided/)
    expect(last('case a in [ab]) run 1;; *) run 2;; esac')).toEqual(['run', '2'])
    expect(last('if x; then N=1; else N=2; fi\ncase $N in 1) run 1;; *) run 2;; esac')).toEqual(['run', '2'])
  })

  it('lets branches that do not run set nothing', () => {
    const text = 'A=0\ncase x in y) A=1; run 1;; x) A=2;; z) A=3;; esac\ncase $A in 2) run ok;; esac'
    expect(readScript(text).commands).toEqual([['run', 'ok']])
  })
})

it('tasks of an srun are those that it says, else those of the job', () => {
  const chips = (head: string, start: string) =>
    readMegatron(
      `${head}\nsrun --nodes=1 --ntasks=1 hostname\n${start} pretrain_gpt.py --num-layers 4 --hidden-size 512 --num-attention-heads 8 --seq-length 512 --micro-batch-size 1 --global-batch-size 64`,
      null,
    ).hardware.chips
  expect(chips('', 'srun -N 4 --ntasks-per-node=8 python')).toBe(32)
  expect(chips('#SBATCH --ntasks-per-node=8', 'srun -N4 python')).toBe(32)
  expect(chips('#SBATCH -N 2 --ntasks-per-node=8', 'srun python')).toBe(16)
  expect(chips('', 'srun --ntasks 16 python -u')).toBe(16)
})
