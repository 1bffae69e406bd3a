/** Where a finding stands: in the file of the request, or in the launch file that is its plan. */

import type { Finding, Place } from '../report/checks/checked.ts'
import { isLaunch } from '../schemas/launch.ts'
import { launchKey } from '../translate/launch/file.ts'
import type { RequestDocument } from './document.ts'
import { type LaunchText, placeInLaunch } from './launch-lines.ts'

export type PlaceOf = (finding: Finding) => Place | null

/** A request as it is asked, with the launch file that is its plan. */
export interface AskedDocument extends Pick<RequestDocument, 'file' | 'body'> {
  readonly placeOf: PlaceOf
}

/** What the request says itself stands there; whatever else a launch file says, or should have said, in that file. */
export function placesOf({ file, lineOf, linesAt }: RequestDocument, launch: readonly LaunchText[]): PlaceOf {
  return (finding) => {
    const { pointer } = finding
    const saysItself = pointer !== '' && !/^\/plan(\/|$)/.test(pointer) && linesAt(pointer) !== null
    const placed = saysItself ? null : placeInLaunch(finding, launch)
    if (placed) return placed
    const line = file === null ? null : lineOf(pointer)
    return file !== null && line !== null ? { file, line } : null
  }
}

/** The launch file that stands in a request itself. */
export function launchWithin({ file, body, linesAt }: RequestDocument): readonly LaunchText[] {
  const lines = file !== null && isLaunch(body) ? linesAt(`/plan/${launchKey(body.plan)}`) : null
  return file !== null && lines ? [{ file, ...lines }] : []
}
