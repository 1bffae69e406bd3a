/**
 * Lengths beyond the most that a model's config has, which servers refuse unless an environment variable is set. Source: vllm-project/vllm,
 * vllm/config/model.py (_get_and_verify_max_len); sgl-project/sglang, configs/model_config.py (context_len).
 */
import type { Serving } from './serving.ts'

/** The variable of each server that refuses them. */
export const longerVariables = {
  vllm: 'VLLM_ALLOW_LONG_MAX_MODEL_LEN',
  sglang: 'SGLANG_ALLOW_OVERWRITE_LONGER_CONTEXT_LEN',
} as const

/** Whether a command may go beyond the length that its framework takes from the model's config. */
export interface Longer {
  readonly variable: string
  /** Whether the variable is set. */
  readonly allowed: boolean
  /** Whether the command changes the config. */
  readonly changed: boolean
}

const isSet = /^(1|true|yes|y)$/i

export function longerOf(
  variable: string,
  variables: ReadonlyMap<string, readonly string[]>,
  changed: boolean,
): Longer {
  return { variable, allowed: isSet.test(variables.get(variable)?.[0] ?? ''), changed }
}

/** What a command sets for the length that it tells. */
export function longerWord(serving: Pick<Serving, 'model'>, length: number, variable: string): string {
  return isBeyond(mostOf(serving), length) ? `${variable}=1 ` : ''
}

/** The note on a server that is told a length. */
export function longerNote(
  serving: Pick<Serving, 'model'>,
  framework: string,
  length: number,
  variable: string,
): string | null {
  const most = mostOf(serving)
  return isBeyond(most, length)
    ? `${framework}: a length of ${length} is beyond the ${most} positions of the model, and is refused but for ${variable}=1, which the command sets; a config that scales positions so far (rope_scaling) needs no such word.`
    : null
}

/** The note on a command that does not set the variable. */
export function beyondNote(most: number | null, length: number | null, variable: string): string | null {
  if (length === null || !isBeyond(most, length)) return null
  return `a length of ${length} is refused for a model of ${most} positions, unless ${variable}=1 is set or its config scales positions so far (rope_scaling).`
}

function mostOf({ model }: Pick<Serving, 'model'>): number | null {
  return model.maxSequenceLength ?? null
}

function isBeyond(most: number | null, length: number): boolean {
  return most !== null && length > most
}
