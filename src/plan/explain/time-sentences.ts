/** Sentences about time and memory that hold in every mode. Each uses only numbers that the plan contains. */
import { usualType } from '../../recipe/element-type.ts'
import { networkText } from '../account/network-use.ts'
import type { Plan } from '../plan.ts'
import { bytesText, percent, secondsText } from './figures.ts'

type Timed = Pick<Plan, 'timeSeconds' | 'stepTimeSeconds' | 'headroom' | 'mfu' | 'mfuPeak' | 'mfuOfBf16Peak'>

/** How much communication overlaps, and how much is waited for. */
export function communicationSentence({ timeSeconds, stepTimeSeconds }: Timed, more = ''): string {
  const { communication, hostTransfer, exposedCommunication: exposed } = timeSeconds
  const all = Object.values(communication).reduce((sum, seconds) => sum + seconds, hostTransfer)
  if (all === 0) return 'Nothing is communicated.'
  // A remainder within rounding counts as zero.
  const overlapped = all - exposed > 1e-9 * all ? all - exposed : 0
  return `Of ${secondsText(all)} of communication ${secondsText(overlapped)} (${percent(overlapped / all)}) overlap with kernels or with other communication; ${secondsText(exposed)}, ${percent(exposed / stepTimeSeconds)} of the step, are waited for${more}.`
}

export function networkSentence({ headroom, stepTimeSeconds }: Timed): string | null {
  const { atHalfBandwidth } = headroom
  if (!atHalfBandwidth) return null
  const { network, stepTimeSeconds: longer } = atHalfBandwidth
  return `With half the bandwidth of ${networkText(network)} this plan would take ${secondsText(longer)}, ${(longer / stepTimeSeconds).toFixed(2)} times as long.`
}

export function utilizationSentence({ mfu, mfuPeak, mfuOfBf16Peak }: Timed): string {
  const { type, flopsPerSecondPerChip } = mfuPeak
  const own = `MFU is ${percent(mfu)} of the ${type} peak, ${flopsText(flopsPerSecondPerChip)} a chip`
  if (type === usualType || mfuOfBf16Peak === null) return `${own}.`
  return `${own}; the same work is ${percent(mfuOfBf16Peak)} of the bf16 peak.`
}

function flopsText(flopsPerSecond: number): string {
  return `${Number((flopsPerSecond / 1e12).toPrecision(4))} TFLOP/s`
}

/** What is on the fullest chip, without the parts that are zero. */
export function memorySentence({ memoryBytes: memory }: Pick<Plan, 'memoryBytes'>, where = ''): string {
  const parts = (
    [
      ['weights', memory.parameters],
      ['gradients', memory.gradients],
      ['optimizer', memory.optimizer],
      ['key-value cache', memory.kvCache],
      ['activations', memory.activations],
      ['workspace', memory.workspace],
      ['reserve', memory.reserve],
    ] as const
  )
    .filter(([, bytes]) => bytes > 0)
    .map(([name, bytes]) => `${name} ${bytesText(bytes)}`)
  const away = memory.host > 0 ? ` On the host, per chip: ${bytesText(memory.host)}.` : ''
  return `Memory per chip${where}: ${bytesText(memory.total)} of ${bytesText(memory.budget)} (${parts.join(', ')}).${away}`
}
