/** Reads a here-document, which follows the line that names it. */
export interface Opened {
  readonly end: string
  /** Whether leading tabs are removed from its lines. */
  readonly indented: boolean
  readonly expands: boolean
}

/** Programs that take a script from a here-document, be it on another machine. */
const taking = new Set(['sbatch', 'bash', 'sh', 'ssh'])
/** Programs that hand it on to the shell behind their options (`srun --ntasks=2 bash -l`). */
const handing = new Set(['srun', 'mpirun', 'docker', 'podman', 'kubectl', 'env'])

/** Whether a command runs what it is given as its input. */
export function takesScript([first = '', ...rest]: readonly string[]): boolean {
  if (taking.has(first)) return true
  const last = rest.findLast((word) => !word.startsWith('-'))
  return handing.has(first) && (last === 'bash' || last === 'sh')
}

/** Reads from `at` up to the terminating line, or up to the end of the text; `after` is where the script continues. */
export function hereDocument(
  text: string,
  at: number,
  { end, indented }: Opened,
): { readonly whole: string; readonly after: number } {
  const lines: string[] = []
  let after = at
  while (after < text.length) {
    const stop = text.indexOf('\n', after)
    const line = text.slice(after, stop < 0 ? text.length : stop)
    after = stop < 0 ? text.length : stop + 1
    const own = indented ? line.replace(/^\t+/, '') : line
    if (own === end) break
    lines.push(own)
  }
  return { whole: lines.map((line) => `${line}\n`).join(''), after }
}
