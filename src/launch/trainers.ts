/** The training frameworks: the chips each runs on, how it is started, and what it cannot run. */
import type { Chip } from '../hardware/chip.ts'
import type { Trainer } from './framework.ts'
import type { Launch } from './launch.ts'
import { maxtext } from './maxtext/config.ts'
import { maxtextRules } from './maxtext/rules.ts'
import { megatron } from './megatron/flags.ts'
import { megatronRules } from './megatron/rules.ts'
import type { RunRules } from './run/rules.ts'
import type { Run } from './run/run.ts'
import { torchtitan } from './torchtitan/config.ts'
import { torchtitanRules } from './torchtitan/rules.ts'

export interface TrainingLauncher {
  readonly chips: readonly Chip['kind'][]
  readonly launch: (run: Run) => Launch<unknown>
  /** Whether it supports two rematerialisation policies in one plan. */
  readonly mixes: boolean
  /** What a note calls it where its flags spell the model out, as it knows none by name; null if they do not. */
  readonly spellsModel: string | null
  /** Rules that a plan has to keep. */
  readonly rules: RunRules
}

export const trainingLaunchers: Readonly<Record<Trainer, TrainingLauncher>> = {
  megatron: {
    chips: ['gpu'],
    launch: megatron,
    mixes: true,
    spellsModel: 'Megatron-LM',
    rules: megatronRules,
  },
  maxtext: {
    chips: ['gpu', 'tpu'],
    launch: maxtext,
    mixes: false,
    spellsModel: null,
    rules: maxtextRules,
  },
  torchtitan: {
    chips: ['gpu'],
    launch: torchtitan,
    mixes: true,
    spellsModel: null,
    rules: torchtitanRules,
  },
}
