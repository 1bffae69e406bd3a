/** Functions of a shell: where they end, what they leave behind, and how deep they are read. */
import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { readScript } from '../../src/launch/read/shell/script.ts'

const ran = (script: string) => readScript(script).commands.filter(([first]) => first === 'run')

/** What bash itself runs. */
function inBash(script: string): readonly (readonly string[])[] {
  const shell = `run() { printf 'run\\0'; printf '%s\\0' "$@"; printf '\\n'; }\n${script}\n`
  const lines = execFileSync('bash', ['-c', shell]).toString().split('\n').slice(0, -1)
  return lines.map((line) => line.split('\0').slice(0, -1))
}

it.each([
  // Variables that a function declares are its own.
  'log() {\n  local TP=1\n  echo "$1" >/dev/null\n}\nTP=8\nlog starting\nrun "$TP"',
  'f() { local M=$1; run "$M"; }\nM=a\nf b\nrun "$M"',
  'f() { declare A=2 B=3; typeset -i C=4; run $A $B $C; }\nA=0 B=0 C=0\nf\nrun $A $B $C',
  'f() {\n  local A\n  A=2\n  run "$A"\n}\nA=1\nf\nrun "$A"',
  'f() {\n  local A B=$A\n  run "${A:-none}" "${B:-none}"\n  A=3\n}\nA=1\nf\nrun "$A"',
  'f() { A=2; local A=3; run $A; }\nA=1\nf\nrun $A',
  'f() { declare -g A=2; declare -gx B=3; export C=4; readonly D=5; }\nA=1\nf\nrun $A $B $C $D',
  'f() { if true; then local A=2; fi; run $A; }\nA=1\nf\nrun $A',
  'f() { local -a L=(2 3); run "${L[@]}"; }\nL=(1)\nf\nrun "${L[@]}"',
  // One that is called sees the variables of its caller, and sets them.
  'g() { run $A; A=3; }\nf() { local A=2; g; run $A; }\nA=1\nf\nrun $A',
  'f() { TP=1 true; A=2; }\nTP=8\nf\nrun $TP $A',
  'local_() { A=2; }\nA=1\nlocal_\nrun $A',
  // A function ends with the bracket that closes it.
  'die() { echo "$1"; exit 1; }; [ -n "$X" ] || A="no ${X}"\nrun b',
  'log() { : "$@"; }; export TP=${TP:-4}\nrun $TP',
  'M=a\nf() { run "$1"; }; f ${M}',
  'f() { { run a; }; run b; }; f; run c',
  'f() { if true; then run a; fi }; f',
  'f() { run \'}\' "}" \\} ${A:-x} }; }; f; run c',
  'f() { (run a) }; f; run ${A:-c}',
  'f() { run a; } 2>/dev/null; f; run ${A:-c}',
  'A=1; export A=2 B=$A; run $A "$B"',
  'f() { run a; } # ${A}\nf',
  'A=1; f() {\n  run $A\n}\nf',
  'function f { run $1; }; f a; run ${A:-c}',
  'f()\n{ run $1; }; f a; run ${A:-c}',
  // Functions within functions.
  'a() { b; }\nb() { c; }\nc() { d; }\nd() { e "$@"; }\ne() { run deep; }\na',
  'a() { b "$1" 2; }\nb() { run "$1" "$2"; }\na 1; a 3',
  // Parts of the arguments, of an array and of a text.
  'f() { run "${@:2}"; run ${@:2:1} x; run "${@: -1}"; run ${*:3} y; }\nf "a 1" "b 2" c d',
  'f() { local n=2; run "${@:n}" "${@:$n:1}" "${@:n+1}"; run x "${@:9}"; }\nf a b c d',
  'L=(a "b c" d)\nrun "${L[@]:1}" "${L[@]:0:1}" "${L[@]: -2:1}"\nM=mixtral\nrun ${M:0:3} ${M:3} ${M: -2} ${M:1:-2} ${M:-x}',
  'set -- a b c\nrun "${@:2}"',
])('%j runs what bash runs', (script) => {
  const own = inBash(script)
  expect(own.length).toBeGreaterThan(0)
  expect(ran(script)).toEqual(own)
})

describe('functions that call each other', () => {
  it('are read as deep as sixty-four', () => {
    const chain = Array.from({ length: 60 }, (_, at) => `f${at}() { f${at + 1} "$1"; }`)
    expect(ran(`${chain.join('\n')}\nf60() { run "$1"; }\nf0 a`)).toEqual([['run', 'a']])
  })

  it('are read nevertheless where they lie deeper', () => {
    const chain = Array.from({ length: 5000 }, (_, at) => `f${at}() { f${at + 1}; }`)
    expect(ran(`${chain.join('\n')}\nf5000() { run a; }\nf0`)).toContainEqual(['run', 'a'])
  })

  it('without end are left', () => {
    expect(ran('f() { run $1; g a; g b; }\ng() { f $1; f c; }\nf z').length).toBeGreaterThan(0)
  })

  it('with commands by the hundred thousand are no error', () => {
    const many = `f() {\n${'a\n'.repeat(25_000)}}\ng() {\n${'f\n'.repeat(12)}}\ng`
    expect(readScript(many).commands).toHaveLength(300_000)
  })
})

it('an expansion of a variable that is not read is told, and none of one that the script does not set', () => {
  const { notes } = readScript('A=b-c U=$(id)\nrun ${A@Q} ${B@Q} ${@:0} ${U^^} ${A//-/$V}\n')
  const told = (one: string) => `${one} is not filled in: what it stands for is not read`
  expect(notes).toEqual(
    expect.arrayContaining([told('${A@Q}'), told('${@:0}'), told('${U^^}'), told('${A//-/$V}')]),
  )
  expect(notes.join()).not.toContain('${B')
})

it('a variable that a function declares is none of the script', () => {
  const { variables } = readScript('f() { local A=1; B=2 run; C=3; }\nf')
  expect([...variables]).toEqual([
    ['C', ['3']],
    ['B', ['2']],
  ])
})

describe('what is called again and again', () => {
  const many = (count: number, line: (at: number) => string) =>
    Array.from({ length: count }, (_, at) => line(at)).join('')

  it('is read until what it is handed, too, comes to a million', () => {
    const variables = many(8000, (at) => `A${at}=1\n`)
    const { commands, notes } = readScript(`${variables}f() { run; }\n${'f\n'.repeat(8000)}`)
    expect(commands.length).toBeGreaterThan(100)
    expect(commands.length).toBeLessThan(130)
    expect(notes).toEqual(['what its scripts call is too long: not all of it is read'])
  })

  it('reads no more of a long variable than the script itself would', () => {
    const long = `X="${'a '.repeat(50_000)}"\nf() { run $X; }\n`
    const { commands, notes } = readScript(long + 'f\n'.repeat(30))
    expect(commands.filter((words) => words.length > 1)).toHaveLength(3)
    expect(notes).toEqual(['what its variables stand for is too long: not all of it is read'])
  })
})
