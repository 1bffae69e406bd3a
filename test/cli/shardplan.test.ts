/** The command as a person or a CI job uses it: what it prints, in which format, and its exit code. */

import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import type { Log } from 'sarif'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { root } from '../../api/root.ts'
import { version } from '../../api/version.ts'
import { planning } from '../http/planning.ts'
import { listening, run } from './world.ts'

const builtCommand = fileURLToPath(new URL('dist/api/cli/main.js', root))

const constraints = 'constraints: {pipeline: 1, context: 1, tensor2: 1}'
const good = `model: llama-3-8b
hardware: {chip: h100-sxm, chips: 16}
workload: {mode: train, batchTokens: 1048576, sequenceLength: 4096}
${constraints}
plan:
  mesh:
    fsdp: 16
`
const illegal = good.replace('fsdp: 16', 'fsdp: 3\n    tensor: 8')
const slow = `${good}require:\n  withinOfBest: 1\n  minMfu: 0.99\n`
const misspelt = good.replace('chips:', 'gpus:')

const asFlags =
  '--model llama-3-8b --chip h100-sxm --chips 16 --batch 1M --seq 4k --set constraints.pipeline=1 --set constraints.context=1 --set constraints.tensor2=1'.split(
    ' ',
  )

describe('the command of the package', () => {
  it('may be run as it was built', () => {
    expect(execFileSync(builtCommand, ['--version'], { encoding: 'utf8' }).trim()).toBe(version())
  })
})

describe('shardplan validate', () => {
  it('ends with 0 where all holds, 1 where a check fails, 2 where a request makes no sense', async () => {
    const files = { 'good.yaml': good, 'illegal.yaml': illegal, 'misspelt.yaml': misspelt }
    expect((await run(['validate', 'good.yaml'], files)).code).toBe(0)
    expect((await run(['validate', 'good.yaml', 'illegal.yaml'], files)).code).toBe(1)
    expect((await run(['validate', 'misspelt.yaml', 'illegal.yaml'], files)).code).toBe(2)
    expect((await run(['validate', 'absent.yaml'], files)).code).toBe(2)
  })

  it('tells of each file what fails, on which line, in every report that is asked for', async () => {
    const files = { 'illegal.yaml': illegal, 'slow.yaml': slow, 'misspelt.yaml': misspelt }
    const reports = ['junit', 'sarif', 'github', 'markdown'].flatMap((name) => [
      '--report',
      `${name}=${name}`,
    ])
    const { out, written } = await run(['check', ...Object.keys(files), ...reports], files)
    expect(out).toMatch(/FAIL {2}legal .*\(illegal.yaml:6 \/plan\/mesh\)/)
    expect(out).toMatch(/FAIL {2}request .*\(misspelt.yaml:2 \/hardware\/gpus\)/)
    const { junit = '', sarif = '', github = '', markdown = '' } = written
    expect(XMLValidator.validate(junit)).toBe(true)
    const { testsuites } = new XMLParser({ ignoreAttributes: false }).parse(junit)
    expect(
      testsuites.testsuite.map((suite: Record<string, string>) => [suite['@_name'], suite['@_failures']]),
    ).toEqual([
      ['illegal.yaml', '1'],
      ['slow.yaml', '1'],
      ['misspelt.yaml', '1'],
    ])
    const log: Log = JSON.parse(sarif)
    const errors = log.runs[0]?.results?.filter(({ level }) => level === 'error')
    const places = errors?.map(({ ruleId, locations: [at] = [] }) => {
      const { artifactLocation, region } = at?.physicalLocation ?? {}
      return `${ruleId} ${artifactLocation?.uri}:${region?.startLine}`
    })
    expect(places).toEqual(['legal illegal.yaml:6', 'minMfu slow.yaml:10', 'request misspelt.yaml:2'])
    const told = github.split('\n').filter((line) => line.startsWith('::error'))
    expect(told.map((line) => line.split('::')[1])).toEqual([
      'error file=illegal.yaml,line=6,title=shardplan%3A legal',
      'error file=slow.yaml,line=10,title=shardplan%3A minMfu',
      'error file=misspelt.yaml,line=2,title=shardplan%3A request',
    ])
    expect(markdown).toMatch(/^### shardplan: 3 of \d+ checks fail/)
  })

  it('tells of a file that is not there as of one that makes no sense, and checks the others', async () => {
    const files = { 'good.yaml': good, 'torn.yaml': 'model: [' }
    const names = ['absent.yaml', 'good.yaml', 'torn.yaml']
    const reports = ['junit', 'sarif'].flatMap((name) => ['--report', `${name}=${name}`])
    const { code, out, written } = await run(['validate', ...names, ...reports], files)
    expect(code).toBe(2)
    expect(out).toMatch(/FAIL {2}request +cannot read absent.yaml/)
    const { junit = '', sarif = '' } = written
    const { testsuites } = new XMLParser({ ignoreAttributes: false }).parse(junit)
    const cases = testsuites.testsuite.flatMap((suite: Record<string, unknown>) => suite.testcase)
    expect(
      cases.map((one: Record<string, string>) => [one['@_classname'], one['@_name'], 'failure' in one]),
    ).toEqual([
      ['absent.yaml', 'request', true],
      ['good.yaml', 'legal /plan', false],
      ['good.yaml', 'fits /memoryBudget', false],
      ['torn.yaml', 'request', true],
    ])
    const log: Log = JSON.parse(sarif)
    const failed = log.runs[0]?.results?.filter(({ level }) => level === 'error')
    expect(failed?.map(({ ruleId }) => ruleId)).toEqual(['request', 'request'])
  })

  it('leaves out pages of Markdown that lie beside requests, and refuses one by itself', async () => {
    const files = { 'README.md': '# Clusters\n\nOne file per job: JSON or YAML.\n', 'good.yaml': good }
    const { code, out, err } = await run(['check', 'README.md', 'good.yaml'], files)
    expect([code, err]).toEqual([0, 'README.md: left out, as a page of Markdown is no request\n'])
    expect(out).not.toMatch(/README/)
    const alone = await run(['check', 'README.md'], files)
    expect(alone).toMatchObject({ code: 2, out: expect.stringMatching(/is a page of Markdown/) })
  })

  it('speaks beside an illegal plan of the best, not of a list that is not shown', async () => {
    // Alone, the first plan of this question is told to go beyond all measured runs.
    const beyond = illegal.replace(constraints, 'constraints: {data: 1, fsdp: 1, pipeline: 1}')
    const files = { 'illegal.yaml': beyond, 'question.yaml': beyond.slice(0, beyond.indexOf('plan:')) }
    expect((await run(['plan', 'question.yaml', '--top', '3'], files)).out).toMatch(/plan 1 goes beyond/)
    const { code, out } = await run(['check', 'illegal.yaml'], files)
    expect([code, out]).toEqual([1, expect.stringMatching(/FAIL {2}legal[\s\S]*\nnote {2}/)])
    expect(out).not.toMatch(/plan \d+ (goes|leaves)/)
  })

  it('gives each fault a test case of its own, also where several are of one thing', async () => {
    const torn =
      'pretrain_gpt.py --tensor-model-parallel-size $TP --micro-batch-size $MBS --global-batch-size $GBS'
    const { written } = await run(
      ['check', '--chip', 'h100-sxm', '--chips', '8', '--launch', 'megatron=a.sh', '--report', 'junit=junit'],
      { 'a.sh': torn },
    )
    const names = [...(written.junit ?? '').matchAll(/<testcase [^>]*name="([^"]*)"/g)].map(
      ([, name]) => name,
    )
    expect(names).toEqual(expect.arrayContaining(['request /plan/megatron', 'request /plan/megatron (2)']))
    expect(new Set(names).size).toBe(names.length)
  })

  it('puts what is no YAML on its line', async () => {
    const files = { 'torn.yaml': 'model: llama-3-8b\nplan: [1, 2\nrequire: {}\n' }
    const reports = ['--report', 'sarif=sarif', '--report', 'text=text']
    const { out, written } = await run(['check', 'torn.yaml', '--format', 'github', ...reports], files)
    const [, line = '', said = ''] = /line=(\d+),.*::line (\d+), column/.exec(out) ?? []
    expect([Number(line) > 1, line]).toEqual([true, said])
    const log: Log = JSON.parse(written.sarif ?? '')
    const [at] = log.runs[0]?.results?.[0]?.locations ?? []
    expect(at?.physicalLocation?.region?.startLine).toBe(Number(line))
    expect(written.text).toContain(`(torn.yaml:${line})`)
  })

  it('gives its answer, and a line, where a report cannot be written', async () => {
    const report = 'csv=/no/such/folder/report.csv'
    const { code, out, err } = await run(['check', 'good.yaml', '--report', report], { 'good.yaml': good })
    expect([code, err.trimEnd().split('\n').length]).toEqual([2, 1])
    expect(err).toMatch(/^error: cannot write \/no\/such\/folder\/report.csv: /)
    expect(out).toMatch(/All 2 checks hold/)
  })

  it('answers as the service does, as JSON and as YAML', async () => {
    const files = { '-': good }
    const json = JSON.parse((await run(['validate', '-', '--format', 'json'], files)).out)
    expect(json).toMatchObject({ mode: 'train', ok: true })
    expect(parse((await run(['validate', '-', '--format', 'yaml'], files)).out)).toEqual(json)
    const elsewhere = await listening({ search: planning }, (origin) =>
      run(['validate', '-', '--format', 'json', '--server', origin], files),
    )
    expect(JSON.parse(elsewhere.out)).toEqual(json)
  })

  it('takes what options say in place of what the file does', async () => {
    const files = { 'good.yaml': good }
    const { code, out } = await run(
      ['check', 'good.yaml', '--set', 'require.minMfu=0.99', '--mesh', 'tensor=4,data=4'],
      files,
    )
    expect(code).toBe(1)
    expect(out).toMatch(/FAIL {2}minMfu/)
    expect(out).toMatch(/plan {2}data 4 x tensor 4/)
  })
})

describe('shardplan optimize', () => {
  it('plans what options say as it plans the file that says the same', async () => {
    const [file, flags] = [
      await run(['optimize', 'question.yaml'], { 'question.yaml': good.slice(0, good.indexOf('plan:')) }),
      await run(['plan', ...asFlags]),
    ]
    expect(file).toMatchObject({ code: 0, err: '' })
    expect(flags).toEqual(file)
    expect(file.out).toMatch(/^# +chips +step .*\n1 +/)
  })

  it('writes a sheet with a row for each plan', async () => {
    const { out } = await run(['plan', ...asFlags, '--top', '3', '--set', 'distinct=mesh', '--format', 'csv'])
    const [head, ...rows] = out.trimEnd().split('\r\n')
    expect(head?.split(',').slice(0, 3)).toEqual(['rank', 'chips', 'stepTimeSeconds'])
    expect(rows).toHaveLength(3)
    expect(rows.map((row) => Number(row.split(',')[0]))).toEqual([1, 2, 3])
  })

  it('ends with 3 where nothing fits, and says what would', async () => {
    const { code, out } = await run(['plan', ...asFlags, '--memory', '5GB'])
    expect(code).toBe(3)
    expect(out).toMatch(/No plan, memory/)
    expect(out).toMatch(/Would do: /)
  })

  it.each([
    [['plan', '--batch', '3q']],
    [['plan', '--format', 'xml']],
    [['plan', '--model', 'llama-3-8b']],
    [['no-such-command']],
    [['check', '-', '--report', 'junit']],
    [['plan', ...asFlags, '--chip', 'h1000']],
  ])('ends %j with 2 and a word of why', async (args) => {
    const { code, out, err } = await run(args, { '-': good })
    expect([code, out]).toEqual([2, ''])
    expect(err).toMatch(/^error: /)
  })
})

describe('shardplan evaluate', () => {
  it('tells where the time and the memory of a plan go', async () => {
    const { code, out } = await run(['evaluate', ...asFlags, '--mesh', 'fsdp=16'])
    expect(code).toBe(0)
    expect(out).toMatch(/^plan {2,}fsdp 16/)
    expect(out).toMatch(/\nmemory .*: activations|\nmemory .*optimizer/)
  })

  it('ends with 3 where it does not fit, and says what would help', async () => {
    const { code, out } = await run(['evaluate', ...asFlags, '--mesh', 'data=16', '--memory', '5GB'])
    expect(code).toBe(3)
    expect(out).toMatch(/\nwould do /)
  })
})

describe('the mesh of an option', () => {
  it.each([
    ['fsdp64', /^error: --mesh fsdp64: write fsdp=64 for fsdp64\n$/],
    ['data=2,tensor24', /write tensor=24 for tensor24/],
    ['fsdp=64,fsdp=2', /^error: --mesh fsdp=64,fsdp=2 gives fsdp twice\n$/],
    ['tensor', /write data=2,tensor=8/],
    ['tensor=', /write data=2,tensor=8/],
  ])('%s is refused with how it is written', async (mesh, says) => {
    const { code, err } = await run(['evaluate', ...asFlags, '--mesh', mesh])
    expect([code, err]).toEqual([2, expect.stringMatching(says)])
  })

  it('that the model forbids is told with the nearest that would do', async () => {
    const { code, err } = await run(['evaluate', ...asFlags, '--mesh', 'tensor=3,data=5'])
    expect(code).toBe(2)
    expect(err).toMatch(/\/plan\/mesh\/tensor .*: tensor 4, data 4, or tensor 2, data 8 would do\n/)
  })
})

describe('requirements in a file', () => {
  const required = `${good}require: {minMfu: 0.9}\n`
  const variants = {
    request: { require: {} },
    variants: [good, required].map((text, at) => ({ name: `${at}`, ...parse(text) })),
  }
  const files = { 'a.yaml': required, 'b.yaml': good, 'both.json': JSON.stringify(variants) }
  const bare = {
    ...files,
    'a.yaml': good,
    'both.json': JSON.stringify(variants).replace(/,"require".*?}/, ''),
  }
  it.each([
    [['evaluate', 'a.yaml']],
    [['explain', 'a.yaml']],
    [['compare', 'a.yaml', 'b.yaml']],
    [['compare', 'both.json']],
  ])('%j leaves out, and says so', async (args) => {
    const { err, ...rest } = await run(args, files)
    const { err: _, ...same } = await run(args, bare)
    expect(rest).toEqual(same)
    expect(err).toMatch(/^(a.yaml|both.json): require is left out here: shardplan check .*\n$/)
  })
})

describe('shardplan compare', () => {
  const base =
    'model: llama-3-8b\nhardware: {chip: h100-sxm, chips: 16}\nworkload: {mode: train, batchTokens: 524288, sequenceLength: 4096}\n'
  const files = {
    'a.yaml': `${base}plan: {mesh: {fsdp: 16}}\n`,
    'b.yaml': `${base}plan: {mesh: {fsdp: 2, tensor: 8}}\n`,
  }

  it('puts files beside one another, and one beside itself with a change', async () => {
    const two = await run(['compare', 'a.yaml', 'b.yaml'], files)
    expect([two.code, two.err]).toEqual([0, ''])
    expect(two.out).toMatch(/^a.yaml +fsdp 16.*\nb.yaml +fsdp 2 x tensor 8/)
    expect(two.out).toMatch(/\nb.yaml takes .* longer than a.yaml: /)
    const one = await run(
      ['compare', 'a.yaml', '--against', 'hardware.nicGbps=100', '--format', 'csv'],
      files,
    )
    expect(one.out.split('\r\n').map((line) => line.split(',')[0])).toEqual([
      ...['name', 'a.yaml', 'with hardware.nicGbps=100', ''],
    ])
    expect((await run(['compare', 'a.yaml'], files)).err).toMatch(/two files or more/)
  })
})

describe('a launch file', () => {
  const script = `N=2
torchrun --nproc-per-node 8 --nnodes $N pretrain_gpt.py --num-layers 32 --hidden-size 4096 --ffn-hidden-size 14336 \\
  --num-attention-heads 32 --group-query-attention --num-query-groups 8 --swiglu --untie-embeddings-and-output-weights \\
  --position-embedding-type rope --seq-length 4096 --max-position-embeddings 4096 --micro-batch-size 1 --global-batch-size 64 --bf16 --use-distributed-optimizer \\
  --tensor-model-parallel-size 8 --sequence-parallel --frobnicate`

  it('is evaluated and checked as the plan that it says, and told of by its name', async () => {
    const asked = ['--launch', 'megatron=run.sh', '--model', 'llama-3-8b', '--chip', 'h100-sxm']
    const evaluated = await run(['evaluate', ...asked], { 'run.sh': script })
    expect(evaluated).toMatchObject({ code: 0, err: '' })
    expect(evaluated.out).toMatch(/^plan +data 2 x tensor 8, ZeRO-1/)
    const pinned = ['pipeline', 'context', 'tensor2'].flatMap((axis) => ['--set', `constraints.${axis}=1`])
    const checked = await run(['check', ...asked, ...pinned, '--set', 'require.minMfu=0.9'], {
      'run.sh': script,
    })
    expect(checked.code).toBe(1)
    expect(checked.out).toMatch(/^run.sh\n/)
    expect(checked.out).toMatch(/--frobnicate is no option of megatron/)
  })

  it('is checked beside others, each with an entry of its own and the gravest of their codes', async () => {
    const files = { 'good.sh': script.replace(' --frobnicate', ''), 'bad.sh': script, 'a.yaml': 'x: 1' }
    const both = ['bad.sh', 'good.sh'].flatMap((name) => ['--launch', `megatron=${name}`])
    const about = ['--model', 'llama-3-8b', '--chip', 'h100-sxm', '--set', 'constraints.pipeline=1']
    const checked = await run(['check', ...about, ...both, '--format', 'json'], files)
    expect([checked.code, checked.err]).toEqual([1, ''])
    const oks = JSON.parse(checked.out).files.map(({ file, ok }: { file: string; ok: boolean }) => [file, ok])
    expect(oks).toEqual([
      ['bad.sh', false],
      ['good.sh', true],
    ])
    const request = `model: llama-3-8b\nhardware: {chip: h100-sxm}\nconstraints: {pipeline: 1}\n`
    const beside = await run(['check', 'a.yaml', ...both], { ...files, 'a.yaml': request })
    expect(beside.out).toMatch(/^a.yaml bad.sh\n[\s\S]*\na.yaml good.sh\n/)
  })

  it('is the only one of a command that reads one', async () => {
    const two = ['--launch', 'megatron=today.sh', '--launch', 'megatron=tomorrow.sh']
    const { code, err } = await run(['evaluate', '--chip', 'h100-sxm', ...two], { 'tomorrow.sh': script })
    expect([code, err]).toEqual([2, expect.stringContaining('one launch file is read here')])
  })

  it('is compared with a request, or with another launch file', async () => {
    const other = script.replace('-parallel-size 8', '-parallel-size 4')
    const texts = { 'today.sh': script, 'tomorrow.sh': other, 'a.yaml': good }
    const launches = ['--launch', 'megatron=today.sh', '--launch', 'megatron=tomorrow.sh']
    const about = ['--model', 'llama-3-8b', '--chip', 'h100-sxm']
    const two = await run(['compare', ...about, ...launches], texts)
    expect(two).toMatchObject({ code: 0, err: '' })
    expect(two.out).toMatch(/^today.sh +data 2 x tensor 8.*\ntomorrow.sh +data 4 x tensor 4/)
    const changed = ['--against', 'hardware.nicGbps=100', '--format', 'csv']
    const one = await run(['compare', ...about, ...launches.slice(2), ...changed], texts)
    expect(one.out.split('\r\n').map((line) => line.split(',')[0])).toEqual([
      ...['name', 'tomorrow.sh', 'with hardware.nicGbps=100', ''],
    ])
    const asked = `model: llama-3-8b\nhardware: {chip: h100-sxm, chips: 16}\nworkload: {mode: train, batchSequences: 64, sequenceLength: 4096}\nplan: {mesh: {fsdp: 16}}\n`
    const beside = await run(['compare', 'a.yaml', ...launches.slice(0, 2)], { ...texts, 'a.yaml': asked })
    expect(beside).toMatchObject({ code: 0, err: '' })
    expect(beside.out).toMatch(/^a.yaml +fsdp 16.*\ntoday.sh +data 2 x tensor 8/)
  })

  it('or a plan says the question of a search, which leaves the plan itself out', async () => {
    const [question = ''] = good.split('plan:')
    const bare = await run(['plan', 'a.yaml'], { 'a.yaml': question })
    const { err, ...searched } = await run(['plan', 'a.yaml'], { 'a.yaml': good })
    expect(searched).toEqual((({ err: _, ...rest }) => rest)(bare))
    expect(err).toMatch(/^a.yaml: plan is left out here/)
    const launched = await run(
      ['plan', ...asFlags, '--batch', '64seqs', '--launch', 'megatron=run.sh', '--format', 'json'],
      { 'run.sh': script.replace('--global-batch-size 64', '') },
    )
    expect([launched.code, JSON.parse(launched.out).plans.length > 1]).toEqual([0, true])
  })
})

it.each([
  ['megatronn', /megatronn is no framework that is read; did you mean megatron/],
  ['tensorrt', /did you mean tensorrtLlm/],
  ['nemo', /there are megatron, /],
])('a launch file of %s is told what is read', async (framework, says) => {
  const { code, err } = await run(['explain', '--launch', `${framework}=run.sh`], { 'run.sh': 'true' })
  expect([code, err.trimEnd().split('\n').length, err]).toEqual([2, 1, expect.stringMatching(says)])
})

it.each(['torchtitan=x', 'maxtext=x', 'deepspeed=x'])('%s without chips names --chips', async (launch) => {
  const text = launch.startsWith('torch') ? '[training]\nseq_len = 8192\n' : '{"train_batch_size": 8}'
  const { code, err } = await run(['explain', '--launch', launch, '--chip', 'h100-sxm'], { x: text })
  expect([code, err]).toEqual([2, expect.stringMatching(/--chips/)])
})

it('a launch file of a framework whose name has a hyphen is read by that name', async () => {
  const file = {
    'serve.sh':
      'trtllm-serve nvidia/Llama-3.1-8B-Instruct-FP8 --tp_size 2 --max_batch_size 8 --max_seq_len 2048',
  }
  const asked = [
    '--chip',
    'h100-sxm',
    '--chips',
    '2',
    '--mode',
    'generate',
    '--launch',
    'tensorrt-llm=serve.sh',
  ]
  const { code, out } = await run(['evaluate', ...asked], file)
  expect([code, out.split('\n')[0]]).toEqual([0, expect.stringMatching(/^plan +tensor 2.*batch 8/)])
})

describe('numbers', () => {
  const asked = (option: string, value: string) => run(['plan', ...asFlags, option, value])
  it.each([
    ['--batch', '4MB', /--batch 4MB is of bytes, and a count is meant: write 4M/],
    ['--chips', '8GiB', /--chips 8GiB is of bytes/],
    ['--batch', 'many', /--batch many is no number; write 512/],
    ['--batch', '-1', /\/workload\/batchTokens .*>=1/],
    [
      '--batch',
      '512',
      /batchTokens \(--batch\) is 512 tokens, fewer than the 4096 of one sequence.* \(--batch 512seqs\)/,
    ],
    ['--memory', '60G', /--memory 60G says no bytes: write 60GB, which is decimal, or 60GiB/],
    ['--memory', '40', /--memory 40 says no bytes: write 40GB, which is decimal, or 40GiB/],
    ['--memory', '81920', /--memory 81920 says no bytes: write 81920MB, which is decimal, or 81920MiB/],
    ['--tpot', '20', /--tpot 20 has no unit: write 20ms or 20s/],
    ['--ttft', 'soon', /--ttft soon is no time; write 500ms/],
    ['--set', 'workload.batchTokens=4MB', /--set workload.batchTokens=4MB: 4MB is of bytes/],
    ['--timeout', 'soon', /--timeout soon is no time/],
  ])('%s %s is refused with what is meant', async (option, value, says) => {
    const { code, err } = await asked(option, value)
    expect([code, err]).toEqual([2, expect.stringMatching(says)])
  })

  it('a field that is missing or wrong is named with the option that sets it', async () => {
    const serve = 'plan --model llama-3-8b --chip h100-sxm --chips 1 --mode serve'.split(' ')
    const { code, err } = await run(serve)
    expect([code, err]).toEqual([2, expect.stringMatching(/promptLength \(--prompt\) is required/)])
    expect(err).toMatch(/outputLength \(--output\) is required/)
    const lengths =
      '--prompt 1k --output 256 --rate 0.5 --ttft 1.5s --tpot 100ms --context 4k --precision fp8'.split(' ')
    const request = {
      model: 'llama-3-8b',
      hardware: { chip: 'h100-sxm', chips: 1 },
      workload: {
        ...{ mode: 'serve', promptLength: 1024, outputLength: 256, requestsPerSecond: 0.5 },
        ...{ maxTimeToFirstTokenSeconds: 1.5, maxTimePerOutputTokenSeconds: 0.1, contextLength: 4096 },
      },
      precision: { weights: 'fp8', compute: 'fp8' },
    }
    const csv = ['--format', 'csv']
    const { out } = await run([...serve, ...lengths, ...csv])
    expect(out.split('\n').length).toBeGreaterThan(2)
    expect(out).toBe((await run(['plan', '-', ...csv], { '-': JSON.stringify(request) })).out)
  })

  it('a batch may be of sequences, whatever the unit that a file has it in', async () => {
    const summary = (text: string) => text.split('\n').slice(0, 2)
    const { code, out } = await asked('--batch', '256 sequences')
    const inTokens = await asked('--batch', '1M')
    expect([code, summary(out)]).toEqual([0, summary(inTokens.out)])
    const [file = ''] = good.split('plan:')
    const changed = await run(['plan', 'in-tokens.yaml', '--batch', '256seqs'], {
      'in-tokens.yaml': file.replace('1048576', '2097152'),
    })
    expect([changed.code, summary(changed.out)]).toEqual([0, summary(inTokens.out)])
  })
})

describe('the rest', () => {
  it('lists models, chips and stacks, and explains itself', async () => {
    const { models } = JSON.parse((await run(['models', '--format', 'json'])).out)
    expect(models).toContainEqual(
      expect.objectContaining({ name: 'llama-3-70b', parameters: 70_553_706_496 }),
    )
    expect((await run(['hardware', '--format', 'csv'])).out).toMatch(/^name,memory,title\r\n/)
    expect((await run(['models'])).out).toMatch(/\nllama-3-70b +70.6B/)
    expect((await run(['hardware'])).out).toMatch(/\nh100-sxm /)
    expect((await run(['stacks'])).out).toMatch(/\nmegatron-core-hopper +training +/)
    const help = await run(['validate', '--help'])
    expect([help.code, help.err]).toEqual([0, ''])
    expect(help.out).toMatch(/--report <format=file>/)
    // A search has no plan to take a mesh for.
    expect((await run(['plan', '--help'])).out).not.toMatch(/--mesh/)
  })

  it('completes commands, options and their values in the shells that it knows', async () => {
    const { out } = await run(['completion', 'bash'])
    const script = `${out}\nCOMP_WORDS=(shardplan "$@"); COMP_CWORD=$#; _shardplan; echo "\${COMPREPLY[*]}"`
    const completed = (...words: readonly string[]) =>
      execFileSync('bash', ['-c', script, 'shardplan', ...words])
        .toString()
        .trim()
    expect(completed('vali')).toBe('validate')
    expect(completed('plan', '--mod')).toBe('--model --mode')
    expect(completed('plan', '--format', 'ht')).toBe('html')
    expect((await run(['completion', 'fish'])).out).toMatch(/^complete -c shardplan /)
    expect((await run(['completion', 'tcsh'])).code).toBe(2)
  })

  it('tells plans and checks as a page, escaped, and explains the first plan where it is asked to', async () => {
    const { out } = await run(['evaluate', ...asFlags, '--mesh', 'fsdp=16', '--format', 'html'])
    expect(out).toMatch(/^<!doctype html>/)
    expect(out).toMatch(/<td>plan<\/td><td>fsdp 16/)
    expect(out.match(/<(td|th|p)>[^<]*</g)?.length).toBeGreaterThan(10)
    const pinned = ['fsdp=16', 'data=1', 'tensor=1', 'context=1', 'pipeline=1'].flatMap((one) => [
      ...['--set', `constraints.${one}`],
    ])
    const explained = await run(['plan', ...asFlags, ...pinned, '--explain'])
    expect(explained.out).toMatch(/\nplan +fsdp 16.*\nstep /)
    const one = await run(['evaluate', ...asFlags, '--mesh', 'fsdp=16', '--explain'])
    expect(one.out).toMatch(/\nAllGather +fsdp +W_in\[D_X, F\]/)
    expect(one.out).toMatch(/\nW_in\[D, F\] = AllGather_X/)
  })

  it('says of a service that is not there that it is not, and ends with 5', async () => {
    const origin = await listening({}, async (at) => at)
    const { code, err } = await run(['plan', ...asFlags, '--server', origin])
    expect(code).toBe(5)
    expect(err).toMatch(/^error: Unavailable\n.* does not answer/)
  })
})

describe('lengths beside a server of one phase', () => {
  const command =
    'vllm serve meta-llama/Llama-3.1-8B --tensor-parallel-size 2 --max-model-len 2499 --max-num-seqs 8\n'
  const asked = (mode: string, ...lengths: readonly string[]) => {
    const chips = '--model llama-3.1-8b --chip h100-sxm --chips 2'.split(' ')
    const options = ['--launch', 'vllm=run.sh', '--mode', mode, ...chips, ...lengths]
    return run(['evaluate', ...options], { 'run.sh': command })
  }

  it('are prompts of any length that it takes, and no longer ones', async () => {
    expect((await asked('prefill', '--seq', '2000')).code).toBe(0)
    const { code, err } = await asked('prefill', '--seq', '2500')
    expect(code).toBe(2)
    expect(err).toContain('/workload/promptLength (--seq) is 2500; the launch file has 2498')
  })

  it('are what sequences hold on average in generation, where they are shorter', async () => {
    const { code, out } = await asked('generate', '--seq', '2000')
    expect(code).toBe(0)
    expect(out).toContain('the 2000 of the request are taken as what they hold on average')
  })

  it('are named in errors by the option that was written', async () => {
    expect((await asked('generate', '--seq', '3000')).err).toContain(
      '/workload/contextLength (--seq) is 3000',
    )
    expect((await asked('generate', '--context', '3000')).err).toContain(
      '/workload/contextLength (--context) is 3000',
    )
  })
})
