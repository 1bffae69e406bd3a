/**
 * What kernels that send tokens to experts have to find in variables of the shell. A row for each that they ask about: MoRI's run beside AITER's
 * kernels for experts alone, which are off unless somebody turns them on, and not beside those that join shared experts to the others. Nor are
 * FlashInfer's kernels for MXFP4, where they are asked for, beside what brings tokens in a place for each expert. Source:
 * vllm-project/vllm 99d7eb5, vllm/model_executor/layers/fused_moe/layer.py ("Mori needs to be used with aiter fused_moe for now", "Mori does not
 * support fusion shared expert now"), vllm/_aiter_ops.py (is_fused_moe_enabled), vllm/envs.py for what holds where nothing is said.
 */
import type { ServerCommand } from '../read/server-command.ts'
import type { Serving } from '../server/serving.ts'
import { dispatchOf } from './settings.ts'

interface Needed {
  /** Backends that ask for it. */
  readonly backend: RegExp
  readonly variable: string
  /** Whether it has to be set or may not be. */
  readonly on: boolean
  /** Whether it is set where nothing is said. */
  readonly usual: boolean
  /** How the weights have to be stored of which it asks; any way when absent. */
  readonly stored?: string
  readonly why: string
}

const mori = { backend: /^mori/, why: "vLLM asserts that MoRI is beside AITER's kernels for experts" }

/** Backends that bring tokens in a place for each expert. */
const batched = /^(deepep_low_latency|pplx|nixl_ep)$/
const mxfp4 = 'mxfp4'

const rows: readonly Needed[] = [
  { ...mori, variable: 'VLLM_ROCM_USE_AITER', on: true, usual: false },
  { ...mori, variable: 'VLLM_ROCM_USE_AITER_MOE', on: true, usual: true },
  {
    ...{ ...mori, variable: 'VLLM_ROCM_USE_AITER_FUSION_SHARED_EXPERTS', on: false, usual: false },
    why: 'vLLM asserts that shared experts are apart where MoRI sends',
  },
  ...['VLLM_USE_FLASHINFER_MOE_MXFP4_MXFP8', 'VLLM_USE_FLASHINFER_MOE_MXFP4_BF16'].map((variable) => ({
    ...{ backend: batched, variable, on: false, usual: false, stored: mxfp4 },
    why: "vLLM takes FlashInfer's kernels then and no others, and these do not take what it brings",
  })),
]

/**
 * Whether experts are unpacked to bf16 that chips could multiply beside fp8: Marlin's kernels alone take those of MXFP4 together with tokens in a
 * place for each expert (vllm/model_executor/layers/fused_moe/oracle/mxfp4.py, BATCHED_MARLIN; experts/trtllm_mxfp4_moe.py, activation_format).
 */
export function unpacksSent(backend: string, stored: readonly string[] | undefined): boolean {
  return batched.test(backend) && stored?.includes(mxfp4) === true
}

/** Variables in front of a command, each with a blank behind it. */
export function exchangeVariables(serving: Serving): string {
  const backend = dispatchOf(serving) ?? ''
  return rows
    .filter(({ backend: of, on, usual }) => of.test(backend) && on !== usual)
    .map(({ variable, on }) => `${variable}=${on ? 1 : 0} `)
    .join('')
}

const isSet = /^(true|1)$/i

/** What may set a variable that the text does not: an image, a file, or a part of a manifest that is elsewhere. */
const elsewhere =
  /\b(docker|podman|nerdctl|enroot|singularity|apptainer)\b|--container-image|\bimage:|"image"|env-?file|\benvFrom\b|\bvalueFrom\b|^\s*(source|\.)\s/im

/** As a container is given it (-e NAME=1, {"NAME": "1"}). */
const passedOn = (variable: string) => new RegExp(`\\b${variable}["']?\\s*[=:]\\s*["']?([\\w$]+)`)

/** A server's command, and the text that it stands in. */
interface Written extends Pick<ServerCommand, 'variables' | 'starts'> {
  readonly text: string
  /** How the checkpoint is stored, where that is known. */
  readonly stored: readonly string[] | undefined
}

/** Undefined where the text does not say it, or a shell fills it in. */
export function variableIn(
  variable: string,
  { text, variables }: Pick<Written, 'text' | 'variables'>,
): string | undefined {
  const value = variables.get(variable)?.[0] ?? passedOn(variable).exec(text)?.[1]
  return value?.includes('$') ? undefined : value
}

interface Lacking {
  readonly notes: readonly string[]
  /** Those of the notes for which the server surely does not start. */
  readonly refusals: readonly string[]
}

/** What a command lacks that sends tokens by the backend. */
export function lackingVariables(backend: string, { text, variables, starts, stored }: Written): Lacking {
  const told = rows.flatMap((row) => {
    const { backend: of, variable, on, usual } = row
    const value = variableIn(variable, { text, variables })
    const known = value !== undefined
    if (!of.test(backend) || (row.stored && !stored?.includes(row.stored))) return []
    if ((known ? isSet.test(value) : usual) === on) return []
    // Whoever names it, or pastes options alone, may have set it.
    const sure = known || (starts && !elsewhere.test(text) && !text.includes(variable))
    return { note: lackingNote(backend, row, sure), sure }
  })
  return {
    notes: told.map(({ note }) => note),
    refusals: told.filter(({ sure }) => sure).map(({ note }) => note),
  }
}

function lackingNote(backend: string, { variable, on, why }: Needed, sure: boolean): string {
  const elsewhereSet = sure ? '' : ', which this text does not set: what starts it has to'
  return `--all2all-backend ${backend.slice(0, 100)} starts with ${variable}=${on ? 1 : 0} alone${elsewhereSet} (${why})`
}
