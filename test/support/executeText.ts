import type { Tensor } from 'tpu-toolkit'
import * as library from 'tpu-toolkit'

const functions = { ...library } as Readonly<Record<string, unknown>>

/** Runs the text of a rewrite, `const x = ...; f(x)`, on inputs by the names that it has for them. */
export function executeText(text: string, inputs: Readonly<Record<string, unknown>>): Tensor {
  const called = [...new Set(text.match(/\b[A-Za-z]\w*(?=\()/g) ?? [])]
  const names = Object.keys(inputs)
  const statements = text.split('; ')
  const last = statements.pop()!
  const body = [...statements, `return ${last}`].join('\n')
  const run = new Function(...called, ...names, body)
  return run(...called.map((name) => functions[name]), ...names.map((name) => inputs[name]))
}
