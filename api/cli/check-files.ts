/** Checks the requests of many files, one after the other; a file that cannot be read or makes no sense counts as a failed check. */
import { ProblemError } from '../problems.ts'
import type { Checked } from '../report/checks/checked.ts'
import { refusedChecks } from '../report/checks/refused.ts'
import type { ValidateBody } from '../worker/desk.ts'
import type { Asker } from './asker.ts'
import { UnparsedFile } from './document.ts'
import { type ExitCode, exitCodeOf, exitCodes } from './exit-code.ts'
import type { AskedDocument } from './places.ts'
import { UnreadableFile } from './usage-error.ts'

export interface CheckedFile {
  readonly checked: Checked
  readonly code: ExitCode
  /** The whole answer, or what is wrong with the request. */
  readonly answer:
    | ValidateBody
    | { readonly problem: string; readonly detail: string; readonly errors: ProblemError['faults'] }
}

export async function checkedFile(
  document: () => AskedDocument,
  file: string | null,
  asker: Asker,
): Promise<CheckedFile> {
  let placeOf: Checked['placeOf'] = () => null
  try {
    const found = document()
    placeOf = found.placeOf
    const answer = await asker.validate(found.body)
    const { ok, checks, plan, best, preferred, warnings, doubts = [] } = answer
    return {
      answer,
      checked: { file, checks, plan, best, preferred, warnings, doubts, placeOf },
      code: ok ? exitCodes.ok : exitCodes.failed,
    }
  } catch (thrown) {
    const error = thrown instanceof UnreadableFile ? new ProblemError('not-found', thrown.message) : thrown
    if (!(error instanceof ProblemError)) throw error
    if (error instanceof UnparsedFile && file !== null) placeOf = () => ({ file, line: error.line })
    const { slug, message, faults } = error
    const checks = refusedChecks(error)
    return {
      answer: { problem: slug, detail: message, errors: faults },
      checked: { file, checks, plan: null, best: null, preferred: null, warnings: [], placeOf },
      code: exitCodeOf(slug),
    }
  }
}
