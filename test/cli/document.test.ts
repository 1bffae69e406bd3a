/** Lines of values in files, and what numbers with units mean. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { requestDocument, UnparsedFile } from '../../api/cli/document.ts'
import { readText } from '../../api/cli/files.ts'
import { milliseconds, quantity } from '../../api/cli/quantity.ts'
import { jsonPointer } from '../../api/validation/json-pointer.ts'
import { forAll } from '../law.ts'

type Path = readonly (string | number)[]

/** Every value inside of a value, by its path. */
function paths(value: unknown, above: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [above]
  const entries: (readonly [string | number, unknown])[] = Array.isArray(value)
    ? value.map((inner, at) => [at, inner] as const)
    : Object.entries(value)
  return [above, ...entries.flatMap(([key, inner]) => paths(inner, [...above, key]))]
}

describe('a request in a file', () => {
  it('says what JSON says, and each key stands on its own line', () => {
    const one = fc.object({
      key: fc.string({ minLength: 1, maxLength: 6 }).filter((key) => key !== '__proto__'),
      maxDepth: 3,
      values: [fc.string(), fc.integer(), fc.boolean()],
    })
    forAll(60, [one, fc.constantFrom(2, '\t')], (value, indent) => {
      const text = JSON.stringify(value, null, indent)
      const { body, lineOf } = requestDocument(text, 'a.json')
      expect(body).toEqual(JSON.parse(text))
      const lines = text.split('\n')
      for (const path of paths(value)) {
        const key = path.at(-1)
        if (typeof key === 'string')
          expect(lines[(lineOf(jsonPointer(path)) ?? 0) - 1]).toContain(`${JSON.stringify(key)}:`)
      }
    })
  })

  it('is told of by line and column where it cannot be read', () => {
    expect(() => requestDocument('a: 1\nb: [1, 2\n', 'a.yaml')).toThrow(/^line [23], column/)
  })

  it.each([
    ['hardware: {chip: b}\nmodel: *base\n', 2, /^line 2, column 8: Unresolved alias .*: base$/],
    ['model: a\nhardware:\n  <<: *base\n', 3, /^line 3, column 7: Merge sources must be maps/],
    ['a: &a [1]\nmodel: [*a, *b]\n', 2, /^line 2, column 13: Unresolved alias .*: b$/],
    ['model: &a {b: *a}\n<<: [*a, 3]\n', 1, /^line 1, column 1: Merge sources must be maps/],
    ['hardware: {chip: b}\nmodel: a\n---\nb: *c\n', 1, /^holds 2 documents/],
  ])('is told of in one sentence where an anchor is not there: %j', (text, line, told) => {
    try {
      requestDocument(text, 'a.yaml')
      expect.unreachable()
    } catch (error) {
      expect(error).toBeInstanceOf(UnparsedFile)
      expect(error).toMatchObject({ line, message: expect.stringMatching(told) })
    }
  })

  it('may have comments, of which one that nothing closes is no JSON', () => {
    const { body } = requestDocument('{"a": "/* // */", /* b */ "c": [1, 2,], // d\n}', 'a.json')
    expect(body).toEqual({ a: '/* // */', c: [1, 2] })
    expect(() => requestDocument('{"a": 1} /* b', 'a.json')).toThrow(UnparsedFile)
  })
})

describe('a number with a unit', () => {
  it('counts in powers of 1024, bytes in powers of 1000 or of 1024 as they are written', () => {
    const value = (text: string) => quantity(text)?.value ?? null
    expect(['512', '8k', '4M', '1.5M', '-1'].map(value)).toEqual([512, 8192, 4_194_304, 1_572_864, -1])
    expect(['60GB', '56 GiB', '1e9'].map(value)).toEqual([60e9, 56 * 1024 ** 3, 1e9])
    expect(['', 'k', '8kk', '0x10', 'max'].map(value)).toEqual([null, null, null, null, null])
    expect(['4', '4M', '4MB'].map((text) => quantity(text)?.of)).toEqual([null, 'count', 'bytes'])
    expect(['500ms', '30s', '2m', '5', '1h'].map(milliseconds)).toEqual([500, 30_000, 120_000, 5000, null])
  })
})

describe('a launch file in place of a request', () => {
  const { files }: { readonly files: readonly { readonly key: string; readonly file: unknown }[] } =
    JSON.parse(readFileSync('fixtures/launch-files.json', 'utf8'))
  const whole = files.flatMap(({ key, file }) =>
    typeof file === 'string' && /^(#!|[^-])/.test(file) ? [{ key, file }] : [],
  )

  it('is told how the command reads it, by what it starts', () => {
    const told = whole.filter(({ key, file }) => {
      try {
        requestDocument(file, 'run.sh')
      } catch (error) {
        return error instanceof UnparsedFile && error.message.includes(`--launch ${key}=run.sh`)
      }
      return false
    })
    expect(told.length).toBeGreaterThan(0.9 * whole.length)
  })

  it('is a request where one holds it', () => {
    for (const { key, file } of files) {
      const text = JSON.stringify({ hardware: { chip: 'h100-sxm' }, plan: { [key]: file } })
      expect(requestDocument(text, 'request.json').body).toEqual(JSON.parse(text))
    }
  })

  const container = (image: string) =>
    `- name: llm\n        image: ${image}\n        args: ["--model", "a/b"]`
  it.each([
    [
      'vllm',
      'a Deployment of Kubernetes',
      `apiVersion: apps/v1\nkind: Deployment\nspec:\n  template:\n    spec:\n      containers:\n      ${container('vllm/vllm-openai:v0.11.0')}\n`,
    ],
    [
      'vllm',
      'several documents of Kubernetes',
      `apiVersion: v1\nkind: Service\n---\napiVersion: apps/v1\nkind: Deployment\nspec:\n      containers:\n      ${container('vllm/vllm-openai:latest')}\n`,
    ],
    [
      'vllm',
      'a file of docker compose',
      'services:\n  vllm:\n    image: vllm/vllm-openai\n    command: --model a/b --tensor-parallel-size 2\n',
    ],
    ['vllm', 'a file of options', 'model: a/b\ntensor-parallel-size: 8\nmax-model-len: 8192\n'],
    ['sglang', 'a file of options', 'model-path: a/b\ntp-size: 8\n'],
    [
      'sglang',
      'a file of docker compose',
      'services:\n  s:\n    image: lmsysorg/sglang:latest\n    command: --model-path a/b\n',
    ],
  ])('of %s is told how to read it in one line: %s', (key, _what, text) => {
    const told = `it looks like a launch file of ${key}, which is read with --launch ${key}=x.yaml --chip NAME --chips N`
    expect(() => requestDocument(text, 'x.yaml')).toThrow(new RegExp(`^${told}$`))
  })

  it.each([
    ['KServe', 'apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nspec: {predictor: {}}\n'],
    ['PyTorchJob', 'apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nspec: {template: {}}\n'],
    ['Service, Secret', 'apiVersion: v1\nkind: Service\n---\napiVersion: v1\nkind: Secret\n'],
    ['template of Helm', 'kind: Deployment\nspec:\n  replicas: {{ .Values.replicas }}\n'],
    ['chart of Helm', 'nameOverride: ""\nworkload: {gpus: 64}\nimage: {tag: a}\n'],
  ])('that starts nothing that is read is told to be one of %s, in one sentence', (what, text) => {
    const told = errorOf(text)
    expect(told).toContain(what)
    expect(told).toMatch(/: give /)
    expect(told).not.toMatch(/\n|looks like/)
  })
})

const errorOf = (text: string) => {
  try {
    return `read as ${JSON.stringify(requestDocument(text, 'x.yaml').body)}`
  } catch (error) {
    return (error as Error).message
  }
}

describe('a request as people write it', () => {
  const request = 'model: a\nhardware: {chip: b, chips: 8}\nrequire: {launchableBy: [torchtitan]}\n'

  it('may merge what is said under a key that begins with x-', () => {
    const merged = 'x-base: &b {chip: c, chips: 8}\nmodel: a\nhardware: {<<: *b}\n'
    expect(requestDocument(merged, 'a.yaml').body).toEqual({ model: 'a', hardware: { chip: 'c', chips: 8 } })
  })

  it('may have the comments of editors in JSON, and keeps its lines', () => {
    const text = '// a // b\n{ /* c\n d */ "model": "http://x/*y*/", // e\n "hardware": {"chips": 8,},\n}'
    const { body, lineOf } = requestDocument(text, 'a.json')
    expect([body, lineOf('/hardware')]).toEqual([{ model: 'http://x/*y*/', hardware: { chips: 8 } }, 4])
    // Flow maps of YAML are no JSON.
    expect(requestDocument('{model: http://x}', 'a.yaml').body).toEqual({ model: 'http://x' })
  })

  it('is one, and not none or several', () => {
    expect(errorOf(`${request}---\n${request}`)).toBe(
      'holds 2 documents (---), where a request is one: give each a file of its own',
    )
    for (const nothing of ['', '# only this\n', '---\n']) expect(errorOf(nothing)).toMatch(/^is empty/)
  })

  it('may be in UTF-16 with its mark, and is no directory', () => {
    const folder = mkdtempSync(join(tmpdir(), 'request-'))
    try {
      const wide = Buffer.from(`\ufeff${request}`, 'utf16le')
      for (const bytes of [wide, Buffer.from(wide).swap16()]) {
        writeFileSync(join(folder, 'a.yaml'), bytes)
        expect(readText(join(folder, 'a.yaml'))).toBe(request)
      }
      expect(() => readText(folder)).toThrow(/it is a directory: give the files in it/)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

it('a tab that indents is told on its line, whatever else the text names', () => {
  const text =
    'model: llama-3-8b # as torchtitan has it\nhardware:\n\tchip: h100-sxm\nplan: {mesh: {fsdp: 8}}\n'
  expect(() => requestDocument(text, 'a.yaml')).toThrow(/^line 3 is indented with a tab/)
})
