/**
 * Changes of the request that a launch file was read into. What they change is no field of the request as it was sent,
 * but of `read.request` in the answer: they point there, to be made in the answer, of which `read.request` is then sent.
 */
import type { Change } from '../rules/part-rule.ts'

const at = '/read/request'

export function inReadRequest<Written extends Change>(change: Written): Written {
  return { ...change, pointer: `${at}${change.pointer}` }
}

export function isInReadRequest({ pointer }: Change): boolean {
  return pointer.startsWith(`${at}/`)
}

/** What a report says below such changes. */
export const readRequestNote = `${at} is what the launch file was read into: read.request of the JSON answer, to be sent with the change`
