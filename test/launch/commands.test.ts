/**
 * Commands that start a plan: a shell can read them, the frameworks know their options, and they describe the plan that
 * they were written for.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { parse } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import { readMegatron } from '../../src/launch/megatron/read/read.ts'
import { overrides, overridesOf } from '../../src/launch/megatron-bridge/overrides.ts'
import { readBridge } from '../../src/launch/megatron-bridge/read.ts'
import { bridgeVersion } from '../../src/launch/megatron-bridge/version.ts'
import { optionsOf } from '../../src/launch/read/options.ts'
import { readScript } from '../../src/launch/read/shell/script.ts'
import type { Start } from '../../src/launch/start.ts'
import { readTorchtitanCommand } from '../../src/launch/torchtitan/read/command.ts'
import { readTorchtitan } from '../../src/launch/torchtitan/read/read.ts'
import { launchesOf } from '../golden/sampled-launches.ts'
import { refusedValues } from './megatron/values.ts'

const launches = launchesOf(({ commands, ...answer }) => commands && { commands, answer })

const starts = (framework: string) =>
  launches.flatMap(({ flags: { commands, answer }, asked }) => {
    const start = commands[framework]
    return start ? [{ start, answer, chips: asked.cluster.chips }] : []
  })

/** Of the version that is named. */
function namesOf(list: string, { version }: Start): ReadonlySet<string> {
  const known = JSON.parse(readFileSync(`fixtures/options/${list}.json`, 'utf8'))
  expect(known.version).toBe(version)
  return new Set(known.names)
}

const wordsOf = (command: string) => readScript(command).commands.at(-1) ?? []

describe('what starts a plan', () => {
  it('is read by a shell, word by word as by our own reader', () => {
    const all = launches.flatMap(({ flags }) => Object.values(flags.commands))
    const commands = all
      .filter((_, at) => at % 97 === 0)
      .map((start) => start?.command.replace(/^.*?(?=torchrun|python3)/, '') ?? '')
    expect(commands.length).toBeGreaterThan(20)
    const shell = [
      'export MASTER_ADDR=first RECIPE=mine',
      `words() { printf '%s\\0' "$@"; printf '\\n\\0'; }`,
      ...commands.map((command) => `words ${command}`),
    ]
    const read = execFileSync('bash', ['-euc', shell.join('\n')])
    const expected = commands.map((command) =>
      wordsOf(command).map((word) =>
        word.replace(/\$\{MASTER_ADDR:\?[^}]*\}/, 'first').replace(/\$\{RECIPE:\?[^}]*\}/, 'mine'),
      ),
    )
    expect(
      read
        .toString()
        .split('\0\n\0')
        .slice(0, -1)
        .map((words) => words.split('\0')),
    ).toEqual(expected)
  })

  it('has options of the version that it names, and no others', () => {
    const unknown = new Set<string>()
    const within = (names: ReadonlySet<string>, own: readonly string[]) => {
      for (const name of own) if (!names.has(name)) unknown.add(name)
    }
    const [megatron, maxtext, titan] = [starts('megatron'), starts('maxtext'), starts('torchtitan')]
    const [first, second] = [megatron[0]?.start, maxtext[0]?.start]
    const today = titan.filter(({ start }) => start.files.every(({ name }) => !name.endsWith('toml')))
    const [main, release] = [
      today[0]?.start,
      titan.find(({ start }) => !today.some((one) => one.start === start))?.start,
    ]
    if (!first || !second || !main || !release) throw new Error('nothing to look at')
    const [ofMegatron, ofMaxtext] = [namesOf('megatron', first), namesOf('maxtext', second)]
    const [ofMain, ofRelease] = [namesOf('torchtitan-main', main), namesOf('torchtitan', release)]
    for (const { start } of megatron) {
      const own = start.command.slice(start.command.indexOf('pretrain_gpt.py'))
      within(
        ofMegatron,
        wordsOf(own).filter((word) => word.startsWith('--')),
      )
    }
    for (const { start } of maxtext) {
      within(
        ofMaxtext,
        wordsOf(start.command).flatMap((word) => /^([a-z_0-9]+)=/.exec(word)?.[1] ?? []),
      )
    }
    for (const { start } of titan) {
      const options =
        start.version === main.version ? wordsOf(start.command).filter((word) => /^--\w+\./.test(word)) : []
      within(
        ofMain,
        options.map((word) => word.slice(2)),
      )
      const config = start.files.find(({ name }) => name.endsWith('toml'))
      if (config) within(ofRelease, leaves(parse(config.text)))
    }
    expect([...unknown]).toEqual([])
  })

  it('gives Megatron-LM values that its parser takes', () => {
    const refused = new Set<string>()
    let most = 0
    for (const { start } of starts('megatron')) {
      const found = refusedValues(wordsOf(start.command.slice(start.command.indexOf('pretrain_gpt.py'))))
      for (const one of found.refused) refused.add(one)
      most = Math.max(most, found.held)
    }
    expect([...refused]).toEqual([])
    expect(most).toBeGreaterThan(30)
    const wrong = ['--num-layers', '4.0', '--bf16', '1', '--optimizer', 'sgdm', '--lr', 'fast']
    expect(refusedValues(wrong).refused).toHaveLength(4)
  })

  it('trains alone, keeps no masks, and routes evenly where there are experts', () => {
    for (const { start, answer } of starts('megatron')) {
      expect(start.command).toMatch(/ --hidden-dropout 0.0 --attention-dropout 0.0 .* --eval-iters 0 /)
      const experts = (answer.megatron as readonly string[]).includes('--num-experts')
      expect(start.command.includes('--moe-router-force-load-balancing')).toBe(experts)
    }
    for (const { start } of starts('megatron-bridge')) expect(start.command).toContain('eval_iters=0')
  })

  it('says what the flags say that are answered beside it', () => {
    for (const { start, answer, chips } of starts('megatron').slice(0, 150)) {
      const { ignored: _, hardware, ...found } = readMegatron(start.command, null)
      const {
        ignored: __,
        hardware: ___,
        ...expected
      } = readMegatron(answer.megatron as readonly string[], chips)
      expect(found).toEqual(expected)
      expect(hardware).toEqual({ chips })
    }
  })

  it('says to Megatron Bridge what it says to Megatron-LM, and all of it', () => {
    let some = 0
    const known = JSON.parse(readFileSync('fixtures/options/megatron-bridge.json', 'utf8'))
    for (const { key } of overrides) expect([...known.names, ...known.later]).toContain(key)
    expect(known.version).toBe(bridgeVersion)
    for (const { start, answer, chips } of starts('megatron-bridge').slice(0, 200)) {
      const argv = answer.megatron as readonly string[]
      const expected = readMegatron(argv, chips)
      // How many layers there are is said by the recipe.
      const model = { ...unknown, layers: Number(expected.model?.layers) }
      const found = readBridge(start.command, { chips: null, model })
      expect([found.faults, found.notUnderstood]).toEqual([[], []])
      expect([found.hardware, found.precision, found.workload]).toEqual([
        ...[{ chips }, expected.precision, expected.workload],
      ])
      expect(found.plan).toEqual(expected.plan)
      expect(found.named).toBeDefined()
      const layout = optionsOf(argv)
      expect(overridesOf(layout)).not.toBeNull()
      expect(layout.left().filter((one) => !ofModels.test(one))).toEqual([])
      some++
    }
    expect(some).toBeGreaterThan(50)
  })

  it('says to main of torchtitan what the config says to its release', () => {
    let today = 0
    for (const { start, answer, chips } of starts('torchtitan').slice(0, 400)) {
      if (start.files.some(({ name }) => name.endsWith('toml'))) continue
      const own = start.files.length > 0
      const found = readTorchtitanCommand(start.command, { chips: null }, parse)
      const expected = readTorchtitan(parse(answer.torchtitan as string), chips)
      expect([found.faults, found.notUnderstood]).toEqual([[], []])
      expect(found.workload).toEqual(expected.workload)
      expect(found.hardware).toEqual({ chips })
      const { stageLayers: _, virtualStages: __, ...plan } = expected.plan
      expect(found.plan).toMatchObject(own ? plan : expected.plan)
      if (!own) expect(found.model).toEqual(expected.model)
      today++
    }
    expect(today).toBeGreaterThan(50)
  })
})

const unknown = {
  ...{ latent: false, parallelBlocks: false, experts: false, sharedExperts: false },
  ...{ denseLayers: true, recurrent: false, maxSequenceLength: null },
}

/** Options of Megatron-LM that a recipe of Bridge says itself, or, of what overlaps, may have no place for. */
const ofModels =
  /^--(num-|hidden-size|ffn-|group-query|kv-|swiglu|normalization|disable-bias|untie|position-emb|max-position|tp-comm-overlap|hidden-dropout|attention-dropout|vocab-size|mtp-|multi-latent|q-lora|qk-|v-head|moe-(router-(?!dtype|force)|ffn|layer|shared|grouped|permute|aux)|window|rotary|rope|use-rope|yarn|mscale|norm-|apply-|qk|add-qkv|cross-entropy|quick-geglu|squared|glu|activation-func|softmax)/

function leaves(config: object, before = ''): readonly string[] {
  return Object.entries(config).flatMap(([key, value]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? leaves(value, `${before}${key}.`)
      : [`${before}${key}`],
  )
}
