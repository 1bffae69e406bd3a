/** Lines of options that a command does not go on to are told with their line, and lines that begin with dashes for other reasons are not. */
import { describe, expect, it } from 'vitest'
import { cutOffIn, cutOffText } from '../../api/translate/launch/cut-off.ts'
import { planning } from '../http/planning.ts'
import { service } from '../http/service.ts'

const serve = 'vllm serve org/m'

const told = (text: string) => cutOffIn(text).map(({ option, at }) => [option, at])
const says = (text: string) => cutOffIn(text).map(cutOffText).join()

describe('an option is cut off', () => {
  it.each([
    ['a comment', `${serve} \\\n  --a 1 \\\n  # --b 2 \\\n  --c 3 \\\n  --d 4`, 'line 3 is a comment'],
    ['blanks', `${serve} \\\n  --a 1 \\\n  --b 2 \\ \t\n  --c 3`, 'line 3 has blanks behind its backslash'],
    ['a comment behind it', `${serve} \\\n\n# x\n  --b 2 \\ # why\n--c`, 'line 4 has a comment behind its'],
    ['nothing', `${serve} \\\n  --a 1 \\\n  --b 2\n  --c 3`, 'line 3 does not end in a backslash'],
    ['an empty line', `${serve} \\\n  --a 1 \\\n\n  --c 3`, 'line 3 is empty'],
    ['two backslashes', `${serve} \\\n  --a 1 \\\n  --b 2 \\\\\n  --c 3`, 'line 3 ends in two backslashes'],
  ])('by %s', (_, text, why) => {
    expect(says(text)).toContain(why)
    expect(cutOffIn(text).at(-1)?.option).toBe('--c')
  })

  it('once for each line that the one before does not go on to', () => {
    expect(told(`${serve}\n--a 1\n--b 2 \\\n--c\n-d 3`)).toEqual([
      ...[['--a', 2] as const, ['--b', 3] as const],
      ['-d', 5],
    ])
  })

  it.each([
    ['a variable', `ARGS="--a 1"\n${serve} \\\n  # --b \\\n  $ARGS`, ['--a', 4]],
    ['a function', `start() {\n  ${serve} \\\n  # x\n  --a\n}\nstart\nstart`, ['--a', 4]],
    ['a command inside a command', `srun bash -c '\n${serve}\n--a 1'`, ['--a', 3]],
    ['a script that is written', `cat > a.sh <<'EOF'\n${serve}\n--a=1\nEOF\nbash a.sh`, ['--a', 3]],
    [
      'a manifest',
      `apiVersion: v1\nspec:\n  containers:\n  - image: a\n    command: [sh, -c]\n    args:\n    - |\n      ${serve}\n      --a 1\n`,
      ['--a', 9],
    ],
    [
      'a manifest in other words',
      `apiVersion: v1\nspec:\n  containers:\n  - image: a\n    command: [sh, -c, "${serve}\\n--a 1"]\n`,
      ['--a', null],
    ],
  ])('in %s', (_, text, found) => {
    expect(told(text)).toEqual([found])
  })
})

describe('a setting is cut off', () => {
  const train = 'python3 -m MaxText.train base.yml steps=5'
  it.each([
    ['blanks', `${train} \\ \nper_device_batch_size=2 b=3`, 'line 1 has blanks behind its backslash'],
    ['nothing', `${train}\n  per_device_batch_size=2 \\\n  b=3`, 'line 1 does not end in a backslash'],
    ['a comment', `${train} \\\n # x=1 \\\nper_device_batch_size=2 \\\nb=3`, 'line 2 is a comment'],
    ['another', `${train}\n  a=1 \\\n  b=1\n  per_device_batch_size=2`, 'line 3 does not end in a backslash'],
  ])('by %s', (_, text, why) => {
    expect(says(text)).toContain(`as an assignment of the shell, so that what runs is without it`)
    expect(says(text)).toContain(why)
    expect(cutOffIn(text).at(-1)?.option).toBe('per_device_batch_size')
  })

  it('of Hydra, whose names have sections', () => {
    const text = 'torchrun run_recipe.py model.a=1\nmodel.b=2'
    expect(told(`${text} \\\n  model.c=2`)).toEqual([['model.b', 2]])
  })

  it.each([
    `${train}\nb=3`,
    `${train}; b=3`,
    `echo\n  b=3`,
    `if probe a=1; then\n  b=3\nfi`,
    `if true; then\n  ${train}\n  b=3\nfi`,
  ])('and no variable of the script: %j', (text) => {
    expect(told(text)).toEqual([])
  })
})

it.each([
  ['options alone', '# of a server\nA=1\n--a 1\n--b 2\n'],
  ['options alone in brackets', `A=(\n  --a 1 # x\n  # --b\n  --c 3\n)\nA+=(\n--d\n)\n${serve} "\${A[@]}"`],
  ['a declared list', `declare -a A=(\n  --a 1\n)\nexport B="\n--b 1\n"\n${serve} "\${A[@]}" $B`],
  ['a comment behind the command', `${serve} \\\n  --a 1 \\\n  # --b 2 \\\n\n# done\n`],
  ['a text that is written', `cat > options <<EOF\n--a 1\n--b\nEOF\n${serve}\nread -r -d '' X <<E\n--c\nE\n`],
  [
    'patterns',
    `while [ $# -gt 0 ]; do\n  case $1 in\n    --a) A=$2;;\n    -b|\\\n    --b)\n  B=1;;\n  esac\ndone\n${serve}`,
  ],
  ['what a program prints', `A=$(python3 x.py \\\n  --a 1\n  --b 2)\n${serve} $A`],
  ['a test', `if [[ "$A" == b\n  && -n "$B" ]]; then\n${serve}\nfi\n[[\n-n $A ]]`],
  ['a pipe', `${serve} |\n  # log\n  --a\n`],
  ['a branch that does not run', `A=1\nif [ $A = 2 ]; then\n  ${serve}\n  --a\nfi\n${serve}`],
  ['what a loop is given', `${serve}\nwhile read -r P; do\n  echo $P\ndone < <(pgrep -P 1)\n`],
  ['keys of YAML', 'ENV_VARS:\n  A: 1\nMODEL_ARGS:\n  --a: 1\n  --b: true\n'],
  ['a list of Python', `cmd = [\n  "vllm", "serve",\n  "--a", "1",\n]`],
  [
    'words of a container',
    'services:\n  s:\n    image: a\n    command: |\n      vllm serve org/m\n      --a 1\n',
  ],
  ['a list of YAML', 'model: org/m\nargs:\n- --a\n- -b\n---\nx: -1\n'],
  ['settings', '[model]\nname = "a"\n--- \n'],
])('%s is not told', (_, text) => {
  expect(told(text)).toEqual([])
})

const validate = service({ search: planning })

async function asked(vllm: string, more: object = {}) {
  const workload = { mode: 'generate', contextLength: 2048 }
  const { body } = await validate
    .post('/validate')
    .send({ hardware: { chip: 'h100-sxm', chips: 4 }, workload, plan: { vllm }, ...more })
  return body
}

describe('a file with a line that is cut off', () => {
  const broken =
    'vllm serve meta-llama/Llama-3.3-70B-Instruct \\\n  --tensor-parallel-size 4 \\\n  # --enforce-eager \\\n  --max-num-seqs 64'

  it('fails understood, unless that is not asked, and says so among doubts', async () => {
    const { ok, checks, doubts } = await asked(broken)
    const message = expect.stringContaining('--max-num-seqs begins line 4 as a command of its own')
    expect(ok).toBe(false)
    expect(checks[0]).toMatchObject({ name: 'understood', ok: false, pointer: '/plan/vllm', message })
    expect(doubts).toContainEqual(message)
    const { checks: others } = await asked(broken, { require: { understood: false } })
    expect(others.map(({ name }: { name: string }) => name)).not.toContain('understood')
  })

  it('says so beside a fault that may follow from it', async () => {
    const { errors } = await asked(broken.replace('size 4 \\', 'size 3 \\'))
    const faulty = await asked(broken.replace('--tensor-parallel-size 4', '--tensor-parallel-size 8'))
    expect(errors ?? faulty.errors).toContainEqual({
      pointer: '/plan/vllm',
      detail: expect.stringContaining('line 3 is a comment'),
    })
  })
})
