import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { readScript } from '../../src/launch/read/shell/script.ts'

const ran = (script: string) => readScript(script).commands.filter(([name]) => name === 'run')

/** What a real shell runs. */
function ranByBash(script: string): readonly (readonly string[])[] {
  const shell = `run() { echo "run $*"; }\n${script}\n:`
  const lines = execFileSync('bash', ['-c', shell]).toString().split('\n').slice(0, -1)
  return lines.map((line) => line.split(' '))
}

describe('lists of commands behind a test', () => {
  it.each([
    '[[ $X == a ]] && T=8\nrun --tp $T',
    '[ "$X" = a ] || T=2\nrun --tp $T',
    '[[ $X == a ]] && T=8 || T=2\nrun --tp $T',
    '[[ $X == a && $T == 4 ]] && T=8 P=2\nrun $T $P',
    'test "$X" = a && run --a || run --b',
    '! [[ $X == a ]] && run --b',
    '[[ $X == a ]] && [[ $T == 4 ]] && run --both || run --not',
    '[[ $X == a ]] || [[ $T == 5 ]] || T=6; run $T',
    '[[ $X == a ]] && { T=8; P=2; } || { T=1; P=1; }\nrun $T $P',
    '[[ $X == a ]] && {\n  T=8\n  run inner\n}\nrun $T',
    '[[ $X == a ]] &&\n  # the large one\n  T=8\nrun $T',
    '[[ $X == a ]] \\\n  && T=8 \\\n  && run $T\nrun --after $T',
    '((T > 3)) && [[ $X == b ]] && T=$((T * 2))\nrun $T',
    'if true; then\n  [[ $X == b ]] && run --b\nelse\n  run --never\nfi\nrun end',
    '[[ $X == a ]] && if [[ $T == 4 ]]; then run --yes; else run --no; fi\nrun end',
    'f() {\n  [[ $1 == a ]] && T=8\n  run $T\n}\nf $X',
    '[[ $X == a ]] && export T=8\nrun $T',
    'if true; then [[ $X == a ]] && T=8; fi\nrun $T',
    '{ [[ $X == a ]] || T=2; run $T; }',
    '[[ $X == a ]] && run --piped | cat\nrun end',
    'case $X in\n  a) [[ $T == 4 ]] && T=8 ;;\n  *) [[ $T == 4 ]] || T=9 ;;\nesac\nrun $T',
  ])('run as bash runs them: %j', (script) => {
    for (const x of ['a', 'b']) {
      const whole = `X=${x} T=4 P=1\n${script}\n`
      expect(ran(whole)).toEqual(ranByBash(whole))
      expect(readScript(whole).notes).toEqual([])
    }
  })

  it('are read where the test is open, and say so', () => {
    const { commands, notes } = readScript('T=4\n[[ $DEBUG == 1 ]] && T=8\n[ -f x ] || T=$U\nrun $T')
    expect(commands.filter(([name]) => name === 'run')).toEqual([['run', '8']])
    expect(notes).toEqual([
      'conditions and loops are not decided: each branch is read once, in order',
      'T keeps the value from before a condition, as the text does not set $U',
    ])
  })

  it('do not run behind a test that says no, whatever one before it says', () => {
    const { commands } = readScript(
      'X=a T=4\n[ -f x ] && [[ $X == b ]] && T=8\n[ -f x ] || [[ $X == a ]] || T=9\nrun $T',
    )
    expect(commands.filter(([name]) => name === 'run')).toEqual([['run', '4']])
  })

  it('leave what they may set open for later tests', () => {
    const { commands } = readScript(
      'T=4\n[ -f x ] && T=8\nif [[ $T == 8 ]]; then\n  run --a\nelse\n  run --b\nfi',
    )
    expect(commands.filter(([name]) => name === 'run')).toHaveLength(2)
  })

  it('are decided in the round of a loop that is read', () => {
    const script = 'X=a\nfor Y in b; do\n  [[ $X == $Y ]] && T=8 || T=2\n  run $T\ndone\n'
    expect(ran(script)).toEqual([['run', '2']])
  })

  it('are no part of the condition of an if', () => {
    const script =
      'X=a\nif [[ $X == a ]] && [[ $X != b ]] && [[ $X != c ]]; then\n  run --a\nelse\n  run --b\nfi'
    expect(ran(script)).toEqual([['run', '--a']])
  })

  it('keep here-documents that begin below their line', () => {
    const { documents } = readScript('X=a\n[[ $X == a ]] && cat > f <<EOF || true\nTP=8\nEOF\nrun')
    expect(documents.get('f')).toBe('TP=8\n')
  })
})
