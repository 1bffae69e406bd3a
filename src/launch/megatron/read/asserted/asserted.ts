/** Why Megatron-LM stops at its start, or at the first step, with the options of a command: what it asserts of them, by the tables beside this. */
import { compact } from '../../../../compact.ts'
import type { Options } from '../../../read/options.ts'
import type { MegatronSaid } from '../../settings.ts'
import { unsaidIn } from './choices.ts'
import { assertedNumbers } from './numbers.ts'
import { apart, isSet, only } from './pairs.ts'

/** How a command is started. */
export interface Started {
  /** The words of its options, before other names of them are replaced. */
  readonly words: readonly string[]
  /** Whether they are all that Megatron-LM gets: no script or recipe adds to them. */
  readonly whole: boolean
  /** Whether one of its own programs gets them, with a model's dimensions. */
  readonly spelledOut: boolean
}

/** Options without which no model is built (arguments.py, lines 693, 1314 and 1350). */
const required = ['--micro-batch-size', '--seq-length', '--max-position-embeddings']

export function assertedOf(
  options: Options,
  said: MegatronSaid,
  { words, whole, spelledOut }: Started,
): readonly string[] {
  // Megatron-DeepSpeed has assertions of its own.
  if (words.some((word) => /^--(deepspeed|zero-stage)\b/.test(word))) return []
  const isWritten = (setting: string) => {
    const [name = ''] = setting.split(' ')
    return words.some((word) => word.split(/[\s=]/)[0] === name)
  }
  // What stands for another option is not there by its own name.
  const isHeld = (setting: string) => isSet(options, setting) || (/^\S+$/.test(setting) && isWritten(setting))
  return compact(
    unsaidIn(options),
    assertedNumbers
      .filter(({ lacks = false, broken }) => (whole || !lacks) && broken(said, options, isWritten))
      .map(({ says }) => says(said)),
    apart.flatMap(({ settings, besides }) =>
      settings
        .filter(isHeld)
        .flatMap((one) =>
          besides.filter(isHeld).map((other) => `Megatron-LM does not take ${one} with ${other}`),
        ),
    ),
    // What an older name stands for may have had a default that the option itself has not.
    whole &&
      only
        .filter(({ setting }) => isWritten(setting) && isHeld(setting))
        .filter(({ needs }) => !needs.some(isHeld))
        .map(({ setting, needs }) => `Megatron-LM takes ${setting} only with ${needs.join(' or ')}`),
    spelledOut &&
      options.given('--use-checkpoint-args') === null &&
      options.given('--yaml-cfg') === null &&
      required
        .filter((name) => options.given(name) === null)
        .map((name) => `Megatron-LM needs ${name}, which is not given`),
  )
}
