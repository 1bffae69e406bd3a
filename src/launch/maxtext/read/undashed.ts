/**
 * Words of a command of MaxText that are no settings, where all behind its config are `key=value`. Words with hyphens before them are flags,
 * of which it has absl's alone and stops at others; a word without `=` is a key of which there is none, or one without a value
 * (src/maxtext/configs/pyconfig.py at e591f30, `OmegaConf.from_cli` and `_prepare_for_pydantic`; abseil/abseil-py, absl/flags/_flagvalues.py).
 */
import { isOption, isOtherwiseDashed } from '../../read/dashes.ts'

/** With what follows them; none where the command starts another program, whose words are its own. */
export function undashedSettings(words: readonly string[], starts: RegExp): readonly string[] {
  const start = words.findIndex((word) => starts.test(word))
  if (start < 0) return []
  const own = words.slice(start + 1)
  return own.flatMap((word, at) => {
    const isFlag = (isOption(word) || isOtherwiseDashed(word)) && !ofAbsl.test(word)
    const isKey = /^[a-z]+(_[a-z0-9]+)+$/.test(word) && /^[\w.-]+$/.test(own[at + 1] ?? '')
    return isFlag || isKey ? [[word, ...(word.includes('=') ? [] : own.slice(at + 1, at + 2))].join(' ')] : []
  })
}

/** Flags of absl's logging and of its apps (absl/logging/__init__.py, absl/app.py). */
const ofAbsl =
  /^--?(no)?(v|verbosity|logger_levels|stderrthreshold|logtostderr|alsologtostderr|log_dir|showprefixforinfo|run_with_pdb|pdb_post_mortem|run_with_profiling|profile_file|use_cprofile_for_profiling|only_check_args|flagfile|undefok|help\w*)(=|$)/
