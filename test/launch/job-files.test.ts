/** What starts a job is read through what it is written in: a job of Slurm, a manifest of containers, a command inside a command. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readerOf } from '../../api/translate/launch/file.ts'
import { commandsOf } from '../../api/translate/launch/manifest.ts'
import { readScript } from '../../src/launch/read/shell/script.ts'
import { forAll } from '../law.ts'

const context = { chips: null, slices: 1, mode: 'generate', model: null }

const words = ['vllm', 'serve', 'org/m', '--tensor-parallel-size', '8', '--max-model-len', '4096']
const plain = words.join(' ')
const listed = JSON.stringify(words)

const ways = {
  'Kubernetes, as a list': `apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - image: a/b:c\n    command: ${listed}\n`,
  'Kubernetes, arguments of an image': `apiVersion: v1\nspec:\n  containers:\n  - image: vllm/vllm-openai:v1\n    args:\n    - --model\n    - org/m\n    - --tensor-parallel-size\n    - "8"\n    - --max-model-len=4096\n`,
  'Kubernetes, a shell and variables': `apiVersion: v1\nspec:\n  containers:\n  - image: a\n    env: [{name: LENGTH, value: "4096"}]\n    command: [sh, -c]\n    args: ["${plain.replace('4096', '$(LENGTH)')}"]\n`,
  'a second document': `apiVersion: v1\nkind: Service\n---\napiVersion: v1\nspec:\n  containers: [{image: a, command: ${listed}}]\n`,
  'docker compose': `services:\n  server:\n    image: a\n    command: ${plain}\n`,
  'compose, folded': `services:\n  server:\n    image: a\n    command: >\n      vllm serve org/m\n      --tensor-parallel-size 8\n      --max-model-len 4096\n`,
  'compose, line by line': `services:\n  server:\n    image: a\n    command: |\n      vllm serve org/m\n      --tensor-parallel-size 8\n      --max-model-len 4096\n`,
  'compose, line by line with backslashes': `services:\n  server:\n    image: a\n    command: |\n      vllm serve org/m \\\n        --tensor-parallel-size 8 \\\n        --max-model-len 4096\n`,
  'compose, as a list': `services:\n  server:\n    image: a\n    command:\n${words.map((word) => `      - "${word}"\n`).join('')}`,
  'compose, a script in quotes': `services:\n  server:\n    image: a\n    command: |\n      sh -c 'sleep 3\n      ${plain}'\n`,
  'a command inside a command': `xpk workload create --tpu-type=x --command="${plain}"`,
  'a file of options': `# as --config takes it\nmodel: org/m\ntensor-parallel-size: 8\nmax-model-len: 4096\nasync-scheduling: false\n`,
  'a text that a script writes down': `c=$(cat <<- EOM\n  sleep 3 ;\n  ${plain}\nEOM\n)\necho "$c" > run.sh\nbash run.sh\n`,
  'variables that are set where nobody has': `: "\${LENGTH:=$((2 * 2048))}"\n: "\${LENGTH:=1}"\n${plain.replace('4096', '$LENGTH')}`,
  'a shell of Kubernetes with variables of its own': `apiVersion: v1\nspec:\n  containers:\n  - image: a\n    env: [{name: LENGTH, value: "4096"}, {name: HOST, valueFrom: {fieldRef: {fieldPath: status.podIP}}}]\n    command: [sh, -c]\n    args: ["${plain.replace('4096', '$LENGTH')}"]\n`,
  'compose with variables listed': `services:\n  server:\n    image: a\n    environment: [LENGTH=4096]\n    entrypoint: [sh, -c]\n    command: ["${plain.replace('4096', '$$LENGTH')}"]\n`,
  'compose with variables by name': `services:\n  server:\n    image: a\n    environment: {LENGTH: 4096}\n    command: sh -c '${plain.replace('4096', '$$LENGTH')}'\n`,
  'a script that begins with a comment': `# Use container: vllm/vllm-openai\n# on:\n${plain}`,
  'a script with clients behind the server': `${plain} > log 2>&1 &\nwait_ready --port 8000\nrun_clients --model org/m --backend vllm --input-len 7\nvllm bench serve --model org/m --num-prompts 8\n`,
  'a script that writes its file of options': `LENGTH=4096\ncat > config.yaml << EOF\nmax-model-len: $LENGTH\nasync-scheduling: false\nEOF\n${plain.replace('--max-model-len 4096', '--config config.yaml')}`,
  'a wrapped job': `sbatch --nodes=1 --wrap '${plain}'`,
}

describe('a server', () => {
  it.each(Object.entries(ways))('in %s is read as by itself', (_way, text) => {
    const { known: _, ...read } = readerOf({ vllm: text })(context)
    expect(readerOf({ vllm: plain })(context)).toMatchObject(read)
    expect(read.plan.mesh).toMatchObject({ tensor: 8 })
  })
})

it('a container does not have the variables of another', () => {
  const container = (env: string, length: string) =>
    `  - image: a\n    env: [${env}]\n    command: [sh, -c]\n    args: ["${plain.replace('4096', length)}"]\n`
  const read = (first: string, second: string) =>
    readScript(commandsOf(`apiVersion: v1\nspec:\n  containers:\n${first}${second}`)).commands.filter(
      ([name]) => name === 'vllm',
    )
  const [one, other] = read(
    container('{name: LENGTH, value: "4096"}', '$LENGTH'),
    container('{name: OTHER, value: "1"}', '$LENGTH'),
  )
  expect([one?.at(-1), other?.at(-1)]).toEqual(['4096', '$LENGTH'])
})

it('a manifest or a command without what its framework is told is no launch', () => {
  const { faults, plan } = readerOf({ vllm: 'services:\n  server:\n    image: vllm/vllm-openai:v1\n' })(
    context,
  )
  expect([faults, plan]).toEqual([[expect.stringMatching(/^the text has no command/)], expect.anything()])
  const runner = 'python3 -m benchmarks.benchmark_runner xpk --num_slices=1 --model_name="llama3_1_70b_8192"'
  expect(() => readerOf({ maxtext: runner })(context)).toThrow(/no settings of MaxText/)
})

it('options of trtllm-serve in its file are read as its keys', () => {
  const { plan } = readerOf({ tensorrtLlm: 'tp_size: 8\nmax_batch_size: 4\n' })(context)
  expect(plan.mesh).toMatchObject({ tensor: 8 })
})

describe('a job of Slurm', () => {
  const options =
    '--num-layers 4 --hidden-size 512 --num-attention-heads 8 --seq-length 512 --max-position-embeddings 512 --micro-batch-size 1 --global-batch-size 64 --tensor-model-parallel-size 2'
  const chips = (lines: string) =>
    readerOf({ megatron: `#!/bin/bash\n${lines} pretrain_gpt.py ${options}\n` })({ ...context, mode: null })

  it.each([
    '#SBATCH --nodes=4\n#SBATCH --gpus-per-node=8\nsrun torchrun --nnodes $SLURM_NNODES --nproc-per-node $SLURM_GPUS_ON_NODE',
    '#SBATCH -N 4\n#SBATCH --gres=gpu:h100:8\nN=$SLURM_JOB_NUM_NODES\ntorchrun --nnodes=$N --nproc_per_node=$SLURM_GPUS_PER_NODE',
    '#SBATCH -N4\n#SBATCH --ntasks-per-node=8\nsrun python -u',
    '#SBATCH --ntasks 32\nsrun python',
  ])('says how many GPUs there are: %j', (lines) => {
    const { hardware, plan, faults } = chips(lines)
    expect([faults, hardware, plan.mesh]).toMatchObject([[], { chips: 32 }, { tensor: 2, data: 16 }])
  })

  it('without a number of nodes runs on one, unless the request has more', () => {
    const text = `torchrun --nproc_per_node 8 pretrain_gpt.py ${options}`
    const read = (known: number | null) =>
      readerOf({ megatron: text })({ ...context, mode: null, chips: known })
    expect(read(null)).toMatchObject({ hardware: { chips: 8 }, faults: [] })
    expect(read(32)).toMatchObject({ hardware: {}, plan: { mesh: { data: 16 } }, faults: [] })
  })

  it('says it for Megatron Bridge as well, whose own loop over layouts is read with the first', () => {
    const job = [
      '#SBATCH --nodes=8\n#SBATCH --ntasks-per-node=8\n#SBATCH --gpus-per-node=8',
      `LAYOUTS=("8,1,1" "4,2,1")\nfor L in "\${LAYOUTS[@]}"; do`,
      'IFS=\',\' read -r TP PP CP <<< "$L"',
      'CLI="\\\n  model.seq_length=4096 dataset.seq_length=4096 train.global_batch_size=128 train.eval_iters=10 \\',
      '  model.tensor_model_parallel_size=$TP model.pipeline_model_parallel_size=$PP model.context_parallel_size=$CP"',
      'CMD="uv run --no-sync python scripts/training/run_recipe.py --recipe llama31_70b_pretrain_config $CLI"',
      'srun --mpi=pmix bash -c "$CMD"\ndone',
    ].join('\n')
    const { hardware, plan, faults, notUnderstood, notes } = readerOf({ megatronBridge: job })({
      ...context,
      mode: null,
      model: null,
    })
    expect([faults, notUnderstood, hardware]).toEqual([[], [], { chips: 64 }])
    expect(plan.mesh).toMatchObject({ tensor: 8, data: 8 })
    expect(notes.join()).toMatch(/of the 2 rounds for L the first is read: 8,1,1/)
  })

  it('of which that is not known is told that alone', () => {
    const { faults, notUnderstood } = chips(
      '#SBATCH --ntasks-per-node=1\ntorchrun --nnodes $SLURM_NNODES --nproc-per-node 8',
    )
    expect(faults).toEqual([expect.stringContaining('how many GPUs there are')])
    expect(notUnderstood).toEqual([])
  })
})

it('options that are handed to another script are read with a word on it', () => {
  const notes = (command: string) =>
    readerOf({ megatron: command })({ ...context, mode: null, chips: 64 }).notes.join()
  const options = '--recompute-granularity selective --recompute-modules mlp'
  expect(notes(`TP=2 PP=8 bash sbatch_benchmarking.sh ${options}`)).toMatch(
    /handed to sbatch_benchmarking.sh, which is not here/,
  )
  const here = (body: string) => `cat > sbatch_benchmarking.sh <<'EOF'\n${body}\nEOF\n`
  const handed = `bash sbatch_benchmarking.sh ${options}`
  const body = `source a/own.conf\nP=$(yq .MODEL_ARGS own.yaml)\nCMD="python \${PROGRAM} $P"\nbash -c "$CMD"`
  expect(notes(`${here(body)}${handed}`)).toContain(
    `handed to sbatch_benchmarking.sh, which is here, starts no program of Megatron-LM that the text names (it sources own.conf, not beside it; P is what yq prints; it starts python \${PROGRAM}, which the text does not set): what it adds`,
  )
  expect(notes(`${here('exec "$@"')}${handed}`)).toContain('that the text names: what it adds')
  expect(notes(`source env.sh\npython pretrain_gpt.py --num-layers 4 ${options}`)).not.toMatch(/handed/)
})

it('any text is read to an end', () => {
  const parts = fc.constantFrom(
    'bash -c "',
    "' ",
    '"',
    'apiVersion: v1\n',
    '- image: a\n',
    '  args: [',
    ']',
    '$(X)',
    '#SBATCH -N ',
    '9',
    '&a ',
    '*a ',
    '\n',
  )
  forAll(200, [fc.array(parts, { maxLength: 40 })], (found) => {
    expect(readScript(commandsOf(found.join(''))).commands.length).toBeLessThan(1000)
  })
})
