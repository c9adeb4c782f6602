import { inspect, isDeepStrictEqual } from 'node:util'
import { filesUnder, modulePath, readText } from './project.js'

/** One line of an `@example`: an expression and what it promises, or a statement that prepares the next lines. */
export interface ExampleLine {
  readonly code: string
  /** The text after ` // `; undefined for a statement without a promise. */
  readonly promise: string | undefined
}

/** The examples of a source file: for each doc comment that has some, its line number and its lines of code. */
export function examplesIn(text: string): { line: number; lines: ExampleLine[] }[] {
  return [...text.matchAll(/\/\*\*[\s\S]*?\*\//g)].flatMap((comment) => {
    const lines: ExampleLine[] = []
    let inside = false
    for (const raw of comment[0].slice(3, -2).split('\n')) {
      const line = raw.replace(/^\s*\* ?/, '').trim()
      const tag = /^@(\w+)\s*(.*)$/.exec(line)
      if (tag) inside = tag[1] === 'example'
      const code = tag ? (tag[2] ?? '') : line
      if (!inside || code === '' || code.startsWith('```')) continue
      const [, expression, promise] = /^(.*?)\s+\/\/ (.*)$/.exec(code) ?? [undefined, code, undefined]
      lines.push({ code: expression ?? code, promise })
    }
    if (lines.length === 0) return []
    return [{ line: text.slice(0, comment.index).split('\n').length, lines }]
  })
}

type Scope = Readonly<Record<string, unknown>>

const evaluate = (code: string, scope: Scope): unknown =>
  new Function(...Object.keys(scope), `'use strict'; return (${code})`)(...Object.values(scope))

const plain = (value: unknown): unknown =>
  ArrayBuffer.isView(value) && !(value instanceof DataView) ? Array.from(value as Uint8Array) : value

const compact = (text: string): string => text.replace(/\s+/g, '')

/**
 * Whether a value is what the text promises. The text may be JavaScript for an equal value (`0x3f81`, `-0`, `[1, 2]`,
 * also for a typed array), or how the value prints: String(value), JSON or Node's inspect; white space is free.
 */
export function keeps(value: unknown, promise: string, scope: Scope = {}): boolean {
  try {
    if (isDeepStrictEqual(plain(evaluate(promise, scope)), plain(value))) return true
  } catch {
    // Not JavaScript: compare how the value prints.
  }
  // Printing hides the sign of zero, and of numbers everything can be written as JavaScript.
  if (typeof value === 'number') return false
  const printed = [String(value), JSON.stringify(plain(value)) ?? '', inspect(value)]
  return printed.some((text) => compact(text) === compact(promise))
}

/** The promises of an example that are not kept, each as a readable line. `throws <message>` promises an error. */
export function brokenPromises(lines: readonly ExampleLine[], scope: Scope): string[] {
  const names: Record<string, unknown> = { ...scope }
  return lines.flatMap(({ code, promise }) => {
    try {
      const declared = /^(?:const|let) (\w+)(?::[^=]+)? = (.*)$/.exec(code)
      if (declared?.[1]) {
        names[declared[1]] = evaluate(declared[2] ?? '', names)
        return promise === undefined || keeps(names[declared[1]], promise, names)
          ? []
          : [`${code}: ${inspect(names[declared[1]])}, promised ${promise}`]
      }
      if (promise === undefined) return [`${code}: promises nothing; write the value after //`]
      const value = evaluate(code, names)
      return keeps(value, promise, names) ? [] : [`${code}: ${inspect(value)}, promised ${promise}`]
    } catch (error) {
      return promise === `throws ${(error as Error).message}`
        ? []
        : [`${code}: ${error}, promised ${promise}`]
    }
  })
}

/** The promises in a folder's docstrings that are not kept, each with its place. */
export async function brokenExamples(folder: string): Promise<string[]> {
  const open = (path: string): Promise<object> => import(/* @vite-ignore */ modulePath(path))
  const data = await open('src/experiments/data/index.ts')
  const inScope = { data, ...(await open('src/index.ts')), ...(await open(`src/${folder}/index.ts`)) }
  const broken: string[] = []
  for (const path of filesUnder(`src/${folder}`, '.ts')) {
    const examples = examplesIn(readText(path))
    const scope = examples.length === 0 ? {} : { ...inScope, ...(await open(path)) }
    for (const { line, lines } of examples) {
      broken.push(...brokenPromises(lines, scope).map((promise) => `${path}:${line}: ${promise}`))
    }
  }
  return broken
}

/** A ```ts block of a page: its code, the line it begins at, and the lines it promises to print. */
export interface CodeBlock {
  readonly line: number
  readonly code: string
  readonly printed: readonly string[]
}

/**
 * The ```ts blocks of a Markdown page. What they promise to print stands in comments: behind a console.log on its line,
 * and alone on the lines right below it.
 */
export function codeBlocks(page: string): CodeBlock[] {
  return [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map((match) => {
    const printed: string[] = []
    let printing = false
    for (const line of (match[1] ?? '').split('\n')) {
      const alone = /^\s*\/\/ ?(.*)$/.exec(line)
      if (alone) {
        if (printing) printed.push(alone[1] ?? '')
        continue
      }
      // The end of a loop that prints leaves its lines right below.
      if (printing && /^[)}\];]+$/.test(line)) continue
      printing = line.includes('console.log(')
      const behind = printing && / \/\/ (.*)$/.exec(line)
      if (behind) printed.push(behind[1] ?? '')
    }
    return { line: page.slice(0, match.index).split('\n').length, code: match[1] ?? '', printed }
  })
}
