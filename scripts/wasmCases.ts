// Functions of the interpreter that differ in constants alone, written out because AssemblyScript keeps a loop for each only where
// each is a function of its own: cases of one switch would be folded into one loop that asks at every vector what it is to do.

/** The operations by opcode, with the loop of each rounding: EXACT, TO_BFLOAT16, TO_FORMAT, TO_TOP and that without looking for NaNs. */
const operations: Readonly<Record<string, readonly (string | undefined)[]>> = {
  ...Object.fromEntries(
    ['ADD', 'SUB', 'MUL', 'DIV'].map((opcode, kind) => [
      opcode,
      [
        ...[0, 1, 2].map((rounding) => `ofTwo(${kind}, ${rounding}, to, a, b, bytes, record)`),
        `ofTwoTop(${kind}, to, a, b, record, count)`,
        `ofTwo(${kind}, 3, to, a, b, bytes, record)`,
      ],
    ]),
  ),
  SQRT: [
    ...[0, 1, 2].map((rounding) => `rootOf(${rounding}, to, a, bytes, record)`),
    undefined,
    'rootOf(3, to, a, bytes, record)',
  ],
  ROUND: [
    undefined,
    ...[1, 2].map((rounding) => `ofOne(${rounding}, to, a, bytes, record)`),
    'ofOneTop(5, to, a, record, count)',
  ],
  NARROW: [
    'toFloat32(to, a, bytes)',
    ...[1, 2].map((rounding) => `narrowed(${rounding}, to, a, bytes, record)`),
    'ofOneTop(6, to, a, record, count)',
  ],
}

/**
 * wasm/program/operations.ts: `runArithmetic` of the opcodes below MIN, an operation and its rounding. It is true where a NaN has a sign
 * that the memory does not keep, unless nobody asks: `quiet`.
 */
export function operationsForWasm(): string {
  const functions: string[] = []
  const cases: string[] = []
  for (const [opcode, loops] of Object.entries(operations)) {
    const calls = loops.map((body, rounding) => {
      if (body === undefined) return ''
      const name = `${opcode.toLowerCase()}${rounding}`
      const isCounted = rounding === 3 && body.includes('Top(')
      const [type, last] = isCounted
        ? ['bool', 'record: usize, count: i32']
        : ['void', 'bytes: usize, record: usize']
      const operands = /, b,/.test(body) ? 'a: usize, b: usize' : 'a: usize'
      const parameters = `to: usize, ${operands}, ${last}`
      functions.push(`function ${name}(${parameters}): ${type} { ${isCounted ? 'return ' : ''}${body} }`)
      return `${name}(${parameters.replaceAll(/: \w+/g, '')})`
    })
    for (const [rounding, call] of calls.slice(0, 3).entries()) {
      if (call !== '') cases.push(`case ${opcode} + ${rounding}: ${call}; return false`)
    }
    const [, , , found = '', quiet] = calls
    const looked = quiet ? `if (!quiet) return ${found}; ${quiet}; return false` : `return ${found} && !quiet`
    cases.push(`case ${opcode} + 3: ${opcode === 'SQRT' ? `${quiet}; return false` : looked}`)
  }
  return [
    `import { ${Object.keys(operations).join(', ')} } from '../../src/tensors/compile/engine/opcodes'`,
    "import { narrowed, ofOne, ofOneTop, ofTwo, ofTwoTop, rootOf, toFloat32 } from './arithmetic'",
    ...functions,
    'export function runArithmetic(opcode: i32, to: usize, a: usize, b: usize, count: i32, record: usize, quiet: bool): bool {',
    'const bytes = usize((count + 15) & ~15) << 2',
    `switch (opcode) {\n${cases.join('\n')}\ndefault: return false\n}\n}\n`,
  ].join('\n')
}

/** wasm/program/functions.ts: `runFunction` of a function of float32 by its number, its place in `float32Functions` of lowering.ts. */
export function functionsForWasm(
  lowering: string,
  kernels: Readonly<Record<string, readonly string[]>>,
): string {
  const [, list = ''] = /const float32Functions[^=]*= \[([^;]*?)\n\]/.exec(lowering) ?? []
  const names = [...list.matchAll(/'(\w+)'/g)].map(([, name]) => `${name}Float32`)
  const imports = Object.entries(kernels).map(
    ([file, all]) =>
      `import { ${all.filter((name) => names.includes(name)).join(', ')} } from '../assembly/${file}'`,
  )
  const cases = names.map((name, number) => `case ${number}: ${name}(from, to, count); return`)
  return [
    ...imports,
    'export function runFunction(which: i32, from: usize, to: usize, count: i32): void {',
    `switch (which) {\n${cases.join('\n')}\ndefault: unreachable()\n}\n}\n`,
  ].join('\n')
}
