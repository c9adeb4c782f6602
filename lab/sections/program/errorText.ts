import { fileName } from './moduleOf.js'

/**
 * An error as the reader meets it in the program: the line where it arose, which is shown, the error, and the lines that called
 * it. Text that is no program has its place in the message.
 */
export function errorText(error: Error, code: string): { readonly text: string; readonly line?: number } {
  const lines = code.split('\n')
  const frames = [...(error.stack ?? '').matchAll(/\((program\.ts):(\d+):\d+\)/g)]
    .map(([, , line]) => Number(line))
    .filter((line) => line >= 1 && line <= lines.length)
  const [, parsed] = /\((\d+):\d+\)\s*$/.exec(error.message) ?? []
  const called = frames.filter((line, i) => line !== frames[i - 1])
  const line =
    called[0] ?? (error.name === 'SyntaxError' && parsed !== undefined ? Number(parsed) : undefined)
  if (line === undefined) return { text: `${error.name}: ${error.message}` }
  const shown = (at: number): string => `${at} | ${lines[at - 1] ?? ''}`
  const text = [
    `${fileName}:${line}: ${error.name}: ${error.message}`,
    shown(line),
    ...called.slice(1, 6).map((at) => `called from line ${shown(at)}`),
  ].join('\n')
  return { text, line }
}
