/**
 * Has each module of the built search hold the last closure that each function expression in it made:
 *
 *   items.map((item) => size(item))     becomes     items.map((callback$3 = (item) => size(item)))
 *
 * V8 holds the optimised code of a function by its closures alone. A search makes its closures anew for each request, and most are gone when
 * the old generation is swept, so that some three hundred functions were compiled again after each sweep and the next five answers took two to
 * five times as long (docs/performance-steps.md). A closure that is held costs a store where it is made, and what it closes over lives until
 * the next one is made: about one search for each way to search.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'acorn'
import { walk } from 'estree-walker'
import { MagicString } from 'magic-string'

/** Rewrites all modules below a folder. */
export function holdClosures(folder) {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.js')) continue
    const path = join(entry.parentPath, entry.name)
    writeFileSync(path, withHeldClosures(readFileSync(path, 'utf8')))
  }
}

/** Those of functions of the module itself, which it holds anyway, are left as they are. */
export function withHeldClosures(text) {
  const written = new MagicString(text)
  const names = []
  const nameFor = (said) => {
    const name = `${said ?? 'callback'}$${names.length}`
    names.push(name)
    return name
  }
  let depth = 0
  walk(parse(text, { ecmaVersion: 'latest', sourceType: 'module' }), {
    enter(node, parent, key) {
      if (depth > 0 && isExpression(node) && !isMethod(parent)) {
        written
          .appendLeft(node.start, `(${nameFor(saidBy(node, parent, key))} = `)
          .prependRight(node.end, ')')
      }
      if (depth > 0 && node.type === 'FunctionDeclaration' && parent.type === 'BlockStatement') {
        // Declarations stand before all else in their block.
        written.appendLeft(parent.start + 1, ` ${nameFor(node.id.name)} = ${node.id.name};`)
      }
      if (isFunction(node)) depth++
    },
    leave(node) {
      if (isFunction(node)) depth--
    },
  })
  // Modules that import one another may run each other's functions before their own last line.
  if (names.length > 0)
    written.append(`\nvar ${names.join(', ')};
(globalThis.heldClosures ??= []).push(() => { ${names.join(' = ')} = undefined; });\n`)
  return written.toString()
}

function isFunction({ type }) {
  return type === 'FunctionDeclaration' || isExpression({ type })
}

function isExpression({ type }) {
  return type === 'ArrowFunctionExpression' || type === 'FunctionExpression'
}

/** One that is written as a member, without a value to put a name before. */
function isMethod({ type, method, kind }) {
  return type === 'MethodDefinition' || method === true || kind === 'get' || kind === 'set'
}

/** What a profile calls it. */
function saidBy(node, parent, key) {
  const named = parent.type === 'VariableDeclarator' && key === 'init' ? parent.id : parent.key
  return node.id?.name ?? (named?.type === 'Identifier' ? named.name : undefined)
}
