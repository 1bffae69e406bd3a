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

describe('what sets variables without an assignment', () => {
  it.each([
    '((N = 1 << 3))\nrun $N $((N >> 1)) $((2 ** 3 * 2))',
    'N=2\n(( N *= 4 )); (( M = N + 1 ))\nrun $N $M',
    'N=2\n((N++)); ((--N)); (( N += N == 2 ? 3 : 1 ))\nrun $N',
    'let N=4 "M = N << 1"\nlet M+=1\nrun $N $M',
    'N=1\nif ((N > 0)); then ((N = 5)); fi\n((N == 5)) && run $N',
    'for ((i = 0; i < 1; i++)); do run round; done',
    "read -r -d '' C <<EOF\nrun --a 1\n  --b 2\nEOF\nrun $C",
    'N=3\nIFS= read -rd \'\' C <<-EOF || true\n\trun $N\n\tEOF\neval "$C"',
    "read -r -d '' C <<'EOF' || true\nrun $N\nEOF\nN=7\neval \"$C\"",
    'read A B <<EOF\n1 2 3\n4\nEOF\nrun $A $B',
    'mapfile -t L <<EOF\n--a\n--b=2\nEOF\nrun "${L[@]}" ${#L[@]}',
    'readarray -t L <<< "--a"\nrun "${L[@]}"',
    'M=(x y)\nfor i in "${!M[@]}"; do run $i ${M[$i]}; break; done',
    'declare -A M=([k]=v)\nfor i in "${!M[@]}"; do run $i ${M[$i]}; done',
  ])('is read as bash does it: %j', (script) => {
    expect(ran(script)).toEqual(ranByBash(script))
  })

  it('is not known where what it is made of is not', () => {
    expect(ran('((N = $WORLD / 8))\nrun $N')).toEqual([['run', '$(( $WORLD / 8))']])
    expect(ran('N=2\n[ -f x ] && ((N = 4))\n[[ $N == 2 ]] && run two\nrun end')).toContainEqual([
      'run',
      'end',
    ])
  })
})

it.each([
  'ssh $HOST "cd /w && run --a 2"',
  "pdsh -w h[1-4] 'cd /w; run --a 2'",
  'tmux new-session -d -s s "run --a 2"',
  'srun --label bash -c "run --a 2"',
])('a command that is sent elsewhere is read: %j', (script) => {
  expect(ran(script)).toEqual([['run', '--a', '2']])
})

it.each([
  "docker run -e T=4 --env=P=2 img bash -c 'run $T $P'",
  "T=8\npodman run -e T=4 -e P=2 img bash -c 'run $T $P'",
])('what a container is given is what its shell sees: %j', (script) => {
  expect(ran(script)).toEqual([['run', '4', '2']])
})

it.each([
  ['run --a "2\n', 'a quote (") which opens on line 1 is not closed, so that all behind it is one word'],
  ['if [ -n x ]; then\n  run\n', 'if is not ended (fi)'],
  ['for i in 1 2; do\n  run\n', 'for is not ended (done)'],
  ['f() {\n  run\n}\ncase $1 in\n  a) f ;;\n', 'case is not ended (esac)'],
])('a script that no shell runs is told so: %j', (script, why) => {
  expect(readScript(script).notes).toContain(`${why}: a shell does not run it`)
  expect(() => execFileSync('bash', ['-n'], { input: script, stdio: 'pipe' })).toThrow()
})
