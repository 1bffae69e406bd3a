/** Scripts as people write them, and as nobody should: words come out as from a shell, and reading always ends. */

import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readMegatron } from '../../src/launch/megatron/read/read.ts'
import { pythonList } from '../../src/launch/read/python-list.ts'
import { arithmetic } from '../../src/launch/read/shell/arithmetic.ts'
import { readScript } from '../../src/launch/read/shell/script.ts'
import { forAll } from '../law.ts'

const last = (script: string) => readScript(script).commands.at(-1)

describe('a script', () => {
  it.each([
    ['a "b c" \'d  e\' f\\ g # h', ['a', 'b c', 'd  e', 'f g']],
    ['X=1; Y="$X 2"\nrun $Y "$Y" ${Y} \'$Y\'', ['run', '1', '2', '1 2', '1', '2', '$Y']],
    ['A=(--a 1 # one\n  --b "2 3"\n)\nA+=(--c)\nrun ${A[@]}', ['run', '--a', '1', '--b', '2', '3', '--c']],
    ['A=(--b "2 3")\nrun "${A[@]}" x', ['run', '--b', '2 3', 'x']],
    ['A=(--a 1)\nbash -c "run x ${A[*]} y"', ['run', 'x', '--a', '1', 'y']],
    ['A=(--a "2 3")\nsrun bash -c "run x ${A[*]:0:1} y"', ['run', 'x', '--a', 'y']],
    ['A=() E=\nrun "${A[@]}" "$E" ""', ['run', '', '']],
    ['O=" --a \'([0]*3+[1]*58)\'"\nC="run $O"\neval $C', ['run', '--a', '([0]*3+[1]*58)']],
    ['OLD=$IFS\nIFS=, read X <<< 1,2\nIFS=$OLD\nread A B <<< "3 4"\nrun $A', ['run', '3']],
    ['C="8,1,64"\nIFS=\',\' read -r T P E <<< "$C"\nrun $T $P $E', ['run', '8', '1', '64']],
    [
      'read -ra A <<< "a b  c"\nread X Y <<< "1 2 3"\nrun ${A[@]} $X "$Y"',
      ['run', 'a', 'b', 'c', '1', '2 3'],
    ],
    ['N=8 M=$((N * (2 + 1)))\nrun $M $(( $N/3 ))', ['run', '24', '2']],
    ['A="-x"\nA="$A -y"\nA+=" -z"\nrun $A', ['run', '-x', '-y', '-z']],
    ['run ${X:-7} ${Y} $1 $(hostname -s) `date`', ['run', '7', '${Y}', '$1', '$(hostname -s)', '`date`']],
    ['run --a 2>&1 3< x 2> err', ['run', '--a']],
    ['CUDA=1 srun -n 2 run \\\n  --a=1 2>&1 | tee log', ['tee', 'log']],
    [
      'N=${M:?M is missing}\nO=" --a=$(seq 0 $((M - 1))) --b"\nrun $N $O',
      ['run', '${M:?M is missing}', '--a=$(seq 0 $((M - 1)))', '--b'],
    ],
    ['if [[ "$X" == y ]]; then\n  run --a\nelse\n  run --b\nfi', ['run', '--b']],
    // Only a space, a tab and a line's end are blanks of a shell's.
    ['run --a\u00a08\v --b', ['run', '--a\u00a08\v', '--b']],
    ['\ufeffrun --a', ['\ufeffrun', '--a']],
    ['A=(--a;--b <c)\nrun ${A[@]}', ['run', '--a', '--b', 'c']],
  ])('%j is read as a shell has it', (script, words) => {
    expect(last(script)).toEqual(words)
  })

  it.each([
    ['go() {\n  run "$1" -n $2 "${3:-x}"\n}\ngo a 4', ['run', 'a', '-n', '4', 'x']],
    ['function go { run "$@"; }\nset -- z\ngo a "b c"', ['run', 'a', 'b c']],
    ['go() { run $1; }\nmain () {\n  local n=$1\n  go $((n * 2))\n}\nmain 4 2>&1 | tee log', ['run', '8']],
    ['go() {\n  shift\n  run $1\n}\nset -- p\ngo a b\nrun $1', ['run', 'p']],
    ['go() {\n  N=$1\n}\nN=1\ngo 2\nrun $N', ['run', '2']],
    ["go() {\n  echo '}'\n  cat <<E > f\nit's }\nE\n  run {$1}\n}\ngo a", ['run', '{a}']],
    ['go() { go $1; }\ngo a\nrun b', ['run', 'b']],
    ['run --real\nunused() {\n  run --unused\n}', ['run', '--real']],
    ['go() { run $1; }\nbash <<E\ngo 7\nE\n', ['run', '7']],
  ])('%j calls its functions with the words behind their names', (script, words) => {
    expect(readScript(script).commands.findLast(([first]) => first === 'run')).toEqual(words)
  })

  it('reads what a function does that nothing in the text calls', () => {
    expect(last('go() {\n  run --a\n}\n')).toEqual(['run', '--a'])
  })

  it('is read with the first round of a loop, and says so', () => {
    const { commands, notes } = readScript('L=("8,1" "4,2")\nfor C in "${L[@]}"; do\n  run $C\ndone')
    expect(commands).toEqual([['run', '8,1']])
    expect(notes).toContain('of the 2 rounds for C the first is read: 8,1')
    expect(last('for i in $(seq 1 3); do run $i; done')).toEqual(['run', '$i'])
  })

  it('has the documents that it writes under their names, and none of their lines is a command', () => {
    const script =
      "N=2\ncat > a.yaml <<'EOF'\nx: $N\nrun --no\nEOF\ncat <<-END | tee b.yaml\n\ty: ${N}\n\tEND\nrun --a <<< 7 > out"
    const { documents, commands } = readScript(script)
    expect([...documents]).toEqual([
      ['a.yaml', 'x: $N\nrun --no\n'],
      ['b.yaml', 'y: 2\n'],
    ])
    expect(commands.filter(([first]) => first === 'run')).toEqual([['run', '--a']])
    const added = readScript('cat > a <<E\nx: 1\nE\ncat << E >> a\ny: 2\nE\ntee -a a <<E\nz: ${U} \\$V\nE\n')
    expect([...added.documents]).toEqual([['a', 'x: 1\ny: 2\nz: ${U} $V\n']])
    const tee = readScript('N=2\ntee b.yaml <<EOF\ny: ${N}\nEOF\n')
    expect([...tee.documents]).toEqual([['b.yaml', 'y: 2\n']])
  })

  it('comes out as bash itself has it', () => {
    const scripts = [
      'A=(--a 1 # one\n  --b "2 3" \'4  5\'\n)\nA+=(--c)\nB="-x  y"\nB+=" z"\nrun ${A[@]} "${A[@]}" $B "$B" ${U:-7}',
      'N=8 \nM=$((N * (2 + 1)))\nexport E="$M/$(( $N / 3 ))"\nrun $M $E ${E} \\\n  --tail=\'$M\'',
      'if [ -n "$HOME" ]; then\n  X=1\nfi\nrun "a\\"b" c\\ d e#f # g',
      'A=()\nIFS=, read -r X Y Z <<< "1,2,3,4"\nrun "${A[@]}" "$X" "$Y" "$Z"',
      'for X in a b; do\n  break\ndone\nread -r P Q <<< "  a b c "\nrun $X "$P" "$Q"',
    ]
    scripts.push(
      'N=4 E=\nrun $((N > 2 ? N * 2 : 1)) $((N < 3 || N == 4)) $(( N <= 3 ? 1 : N >= 5 ? 2 : 3 )) $((N != 4 && 1))',
      'N=4 E=\nrun ${N:?why} ${N:+--n $N} ${E:+--e} ${M:+--m} ${M+x}',
      'L="1, 2, "\nrun "[${L%, }]" "${L#1}" "${L%%, }" "${L%3}"',
      'A=(--a "2 3") B=()\nset -- x "y z"\nrun "p ${A[*]} q" "${A[*]}" ${A[*]} "${B[*]}" "$*" "${*:2}" "${A[*]:1}"',
      'A=(1 2) IFS=,\nrun "${A[*]}" "${A[@]}"',
      'A=(1 2)\nIFS=\nrun "${A[*]}"',
      'G=GB200 M=nemotron_3-a.v2\nrun ${G,,} ${M^^} ${M^} ${G,} ${M//_/-} ${M/_/} ${M%.*} ${M%%_*} ${M#*_} ${M##*[-.]} ${#M} ${M/#nemo/X} ${M/%v?/w}',
      'A=(--a=1 "--b 2" c)\nrun ${#A[@]} "${A[1]}" "${A[-1]}" "${A[@]/#--/-}" "${A[@]%%=*}" $((${#A[@]} * 2))',
      'P=/a/b/c.yaml L=1,2,3 N=L\nrun "${P##*/}" "${P%/*}" "${L//,/ }" ${L//[0-9]/x} "${!N}" "${L//"2,"/}" ${P//\\//-} ${P/%[!a-z]*/}',
      'declare -A T=([h100]=8 [gb200]=4)\nG=GB200\nrun ${T[${G,,}]} ${T["h100"]} ${#T[@]}',
      'declare -A T\nT[h100]=8 K=gb200\nT[$K]=4\nA=(1 2)\nA[1]=3\nA[2]+=4\nrun ${T[h100]} ${T[$K]} ${A[1]} ${A[@]} ${#A[@]}',
      'E=\nT="  a b\t"\nrun "${T//[[:space:]]/}" "${T#"${T%%[![:space:]]*}"}" "[${E,,}]" ${#E}',
      "N=4 bash -c true\nexport M=3\nrun '$M' $((M - 1 + 2 * 3 % 4))",
    )
    for (const script of scripts) {
      const shell = `run() { printf '%s\\0' "$@"; }\n${script}\n`
      const words = execFileSync('bash', ['-c', shell]).toString().split('\0').slice(0, -1)
      expect(last(script)).toEqual(['run', ...words])
    }
  })

  it.each([
    ['[ "$X" = "true" ]', 'false', '--b'],
    ['[ "$X" = "true" ]', 'true', '--a'],
    ['[[ $X == true ]]', 'true', '--a'],
    ['[[ $X != true ]]', 'true', '--b'],
    ['[ -z "$X" ]', '""', '--a'],
    ['[ -n "$X" ]', '""', '--b'],
    ['test "$X" -ge 4', '8', '--a'],
    ['[ "${X}" -eq 4 ]', '8', '--b'],
    ['! [[ "$X" -lt 4 ]]', '8', '--a'],
    ['$X', 'false', '--b'],
    ['[[ $X ]]', 'a', '--a'],
    // dgxc-benchmarking, a launch.sh of its own: the last part alone was taken for a command
    ['[[ -z ${Z-} ]] && { [[ $X == "b300" || $X == "b200" ]] || ((64 % 72 == 0)); }', 'gb200', '--b'],
    ['[[ -z ${Z-} ]] && { [[ $X == "b300" || $X == "b200" ]] || ((64 % 72 == 0)); }', 'b200', '--a'],
    ['{ [[ $X == a ]] || [[ $X == b ]]; } && [[ ${Z:-8} -ge 4 ]]', 'b', '--a'],
    ['{ [[ $X == a ]] || [[ $X == b ]]; } \\\n  && [[ ${Z:-8} -ge 4 ]]', 'c', '--b'],
    ['! { ((X % 8 == 0 && X <= 64)) || false; }', '72', '--a'],
    ['(((X + 1) * 2 != 6))', '2', '--b'],
    ['( [ "$X" -lt 4 ]; [ "$X" -gt 4 ] )', '8', '--a'],
    ['[[ ! ( $X == a || $X == b ) && -n $X ]]', 'c', '--a'],
    ['probe 2> /dev/null && [[ $X == b ]]', 'a', '--b'],
    ['[[ $X == a ]] || [[ $HOME =~ ^(/x|"y z") ]]', 'a', '--a'],
    ['probe | grep -q "$X"; [[ $X == b ]]', 'a', '--b'],
  ])('decides %s where X is %s', (test, value, way) => {
    const { commands, notes } = readScript(
      `X=${value}\nif ${test}; then\n  if [ -f x ]; then Y=1; fi\n  W=--a\n  run --a\nelse\n  W=--b\n  run --b\nfi\nrun $W\n`,
    )
    const runs = commands.filter(([name]) => name === 'run')
    expect(runs).toEqual([
      ['run', way],
      ['run', way],
    ])
    // The branch that does not run has nothing that is not decided.
    expect(notes.length).toBe(way === '--a' ? 1 : 0)
  })

  it.each([
    ['X=1', '[ "$X" = "$Z" ]'],
    ['X=1', '[ "$X" = 1 ] && probe'],
    ['X=1', '[[ "$X" == 1* ]]'],
    ['X=1', '[[ "$X" == 1 && "$Z" == 2 ]]'],
    ['X=1', '[ -f "$X" ]'],
    ['X=1', '[[ $X == 1 ]] && { [[ $Z == 2 ]] || ((W % 2)); }'],
    ['X=1', '((X < Z))'],
    ['X=1', '[[ $X < 2 ]]'],
    ['X=1', '[[ $X == 1 ]] | probe'],
    ['X=1', '[ "$X" = 1 ] > "$F"'],
    ['X=1', '[[ $X & 1 ]]'],
    ['if [ -f x ]; then X=1; fi', '((X == 1)) && true'],
    ['if [ -f x ]; then X=1; fi', '[ "$X" = 1 ]'],
    ['case $1 in a) X=1;; esac', '[ "$X" = 1 ]'],
    ['while probe; do X=1; done\nY=$X', '[ "$Y" = 1 ]'],
    ['f() {\nX=1\n}', '[ "$X" = 1 ]'],
  ])('reads both branches where %j leaves %s open', (before, test) => {
    const { commands, notes } = readScript(`${before}\nif ${test}; then\n  run --a\nelse\n  run --b\nfi`)
    expect(commands.filter(([name]) => name === 'run')).toHaveLength(2)
    expect(notes).toHaveLength(1)
  })

  it('takes the first branch of several whose test holds, and none where none does', () => {
    const ways = (value: string, last: string) =>
      readScript(
        `X=${value}; if [ $X = a ]; then run a; elif [ $X = b ]; then run b; elif [ $X = b ]; then run c; ${last} fi; run d`,
      ).commands.map((words) => words.at(-1))
    expect(ways('a', 'else run e;')).toEqual(['a', 'd'])
    expect(ways('b', 'else run e;')).toEqual(['b', 'd'])
    expect(ways('z', 'else run e;')).toEqual(['e', 'd'])
    expect(ways('z', '')).toEqual(['d'])
  })

  it('gives a variable that stands before a command to that command alone', () => {
    const { commands, variables } = readScript(
      "X=1\nX=2 Y=3 bash -c 'run $X $Y'\nrun $X $Y\nX=4\nexport Z=5\nrun $X $Z",
    )
    expect(commands.filter(([name]) => name === 'run')).toEqual([
      ['run', '2', '3'],
      ['run', '1', '$Y'],
      ['run', '4', '5'],
    ])
    expect([variables.get('X'), variables.get('Y')]).toEqual([['4'], ['3']])
  })

  it('hands its variables to the commands that it carries, and says which value a branch would need', () => {
    expect(readScript("export N=2\nbash -c 'run --n $N'").commands.at(-1)).toEqual(['run', '--n', '2'])
    const { commands, notes } = readScript('N=2\nif x; then N="$OTHER"; else M=$OTHER; fi\nrun $N $M')
    expect(commands.at(-1)).toEqual(['run', '2', '$OTHER'])
    expect(notes.join()).toMatch(
      /N keeps the value from before a condition, as the text does not set \$OTHER/,
    )
    const loop =
      'N=2\nwhile [[ $# -gt 0 ]]; do\n  case $1 in\n    --n)\n      N=$2\n      shift 2\n      ;;\n    *) shift ;;\n  esac\ndone\nrun $N'
    expect(last(loop)).toEqual(['run', '2'])
    expect(last('run ${X:?why} ${X%a} ${X%%*}')).toEqual(['run', '${X:?why}', '${X%a}', '${X%%*}'])
  })

  it('that doubles a text in each line does not grow without end', () => {
    const bomb = `A=--xxxxxxxx\n${'A="$A $A"\n'.repeat(200)}run --num-layers 2 $A`
    const { commands, notes } = readScript(bomb)
    expect(commands.flat().join(' ').length).toBeLessThan(1e6)
    expect(notes.join()).toMatch(/too long/)
  })

  it('of any text ends, and throws nothing', () => {
    const pieces = [
      '$',
      '{',
      '}',
      '(',
      ')',
      '((',
      '))',
      '"',
      "'",
      '`',
      '\\',
      '\n',
      ' ',
      '\u00a0',
      '\ufeff',
      '\u2028',
      '\v',
      '=',
      '+=',
      '=(',
      'A',
      '[@]',
      '#',
      ';',
      '|',
      '<',
      '--num-layers',
      '--moe-layer-freq',
      '[0]*3',
      '--pipeline-model-parallel-layout',
      'Et*2|L',
      '8',
      '1000000000',
      '--pipeline-model-parallel-size',
      '--num-virtual-stages-per-pipeline-rank',
      ':-',
    ]
    forAll(500, [fc.array(fc.constantFrom(...pieces), { maxLength: 60 })], (parts) => {
      expect(readMegatron(parts.join(''), 8).framework).toBe('megatron')
      expect(readMegatron(parts, 8).framework).toBe('megatron')
    })
  })
})

describe('lists and sums', () => {
  it('are what Python and a shell make of them', () => {
    expect(pythonList('([0]*3+[1]*2)')).toEqual([0, 0, 0, 1, 1])
    expect(pythonList('([0]*1+[1])*2')).toEqual([0, 1, 0, 1])
    expect(pythonList('2*[1,0]')).toEqual([1, 0, 1, 0])
    expect([pythonList('[1'), pythonList('[1]*9999999'), pythonList(`${'('.repeat(5000)}`)]).toEqual([
      null,
      null,
      null,
    ])
    expect([
      arithmetic('8*4/3'),
      arithmetic('7%4-1'),
      arithmetic('1/0'),
      arithmetic('2**3'),
      arithmetic('2**'),
      arithmetic(''),
    ]).toEqual([10, 2, null, 8, null, null])
  })
})
