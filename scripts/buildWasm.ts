/**
 * Compiles the modules of wasm/assembly and the interpreter of wasm/program with AssemblyScript, and embeds each binary as base64 in a
 * `.wasm.ts` file, which declares what a module of kernels exports. `--check` compiles too, but fails where an embedded binary differs
 * instead of writing it.
 *
 * The files stay committed: the sources of the package import them, so that nothing could be built before they exist.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { deflateSync } from 'fflate'
import { functionsForWasm, operationsForWasm } from './wasmCases.js'

const root = fileURLToPath(new URL('../../', import.meta.url))
const compiler = join(root, 'node_modules/assemblyscript/bin/asc.js')

/** A module of kernels, src/numbers/simd/<name>.wasm.ts: the files of wasm/assembly whose exported functions it exports. */
interface KernelModule {
  readonly name: string
  readonly files: readonly string[]
  /** Stored as it is: inflating it takes more code than it saves. */
  readonly stored?: true
  /** The module that its `@external` functions are from. */
  readonly imports?: string
}

const kernelModules: readonly KernelModule[] = [
  { name: 'encode', files: ['encode'], stored: true },
  {
    name: 'elementwise',
    files: [
      ...['arithmetic', 'half', 'convert', 'map', 'blocks', 'recipes', 'adamw'],
      ...['float32/arithmetic', 'float32/choices'],
    ],
  },
  { name: 'sum', files: ['cumsum', 'float32/sums', 'float32/columns', 'float32/trees'] },
  { name: 'product', files: ['matmul'] },
  { name: 'unit', files: ['unit'] },
  { name: 'attention', files: ['attention', 'pack'], imports: 'function' },
  { name: 'function', files: ['float32/simple', 'float32/unary', 'float32/vector'] },
]

/** src/numbers/simd/arena.ts makes the one memory of all kernels. */
const kernelMemory = ['--importMemory', '--noExportMemory', '--initialMemory', '64', '--maximumMemory', '64']
/** src/tensors/compile/engine/machine.ts makes the memory and grows it; threads share it, and only the first fills its tables. */
const programMemory = ['--initialMemory', '2', '--importMemory', '--exportStart', 'fillTables']

const flags = [
  ...['--optimizeLevel', '3', '--shrinkLevel', '0', '--converge', '--noAssert'],
  // Nothing is allocated inside, so there is no runtime to embed and no call out.
  ...['--enable', 'simd', '--runtime', 'stub', '--use', 'abort='],
]

const shared = join(root, 'src/numbers/functions/float32')

/**
 * The sources in a folder of their own, with the scalar functions of float32 in wasm/assembly/float32: those are TypeScript that
 * both compilers read, but for the way they name modules and for the table of numbers. What wasm/assembly/float32 has itself stays.
 * The interpreter's functions that differ in constants alone are written here.
 */
function gather(folder: string): void {
  for (const part of ['wasm', 'src/tensors/compile']) {
    cpSync(join(root, part), join(folder, part), { recursive: true })
  }
  const target = join(folder, 'wasm/assembly/float32')
  const own = readdirSync(target)
  for (const name of readdirSync(shared)) {
    if (own.includes(name)) continue
    const text = readFileSync(join(shared, name), 'utf8')
    const imports = text.replaceAll(/from '(\.\/\w+)\.js'/g, "from '$1'")
    const compiled = imports.replaceAll(/(?<=[{,]\s*)type int\b/g, 'int')
    writeFileSync(join(target, name), name === 'numbers.ts' ? numbersInMemory(text) : compiled)
  }
  const names = (file: string): string[] => kernelsOf(file).map(({ name }) => name)
  const files = ['float32/unary', 'float32/vector']
  const functions = functionsForWasm(
    readFileSync(join(root, 'src/tensors/compile/graph/lowering.ts'), 'utf8'),
    Object.fromEntries(files.map((file) => [file, names(file)])),
  )
  writeFileSync(join(folder, 'wasm/program/functions.ts'), functions)
  writeFileSync(join(folder, 'wasm/program/operations.ts'), operationsForWasm())
}

/** The table of numbers.ts, which is a typed array there, as data in the memory of a module. */
function numbersInMemory(text: string): string {
  const [head = '', numbers = ''] = text.replace('type int = number', 'type int = i32').split(/^const .*\[$/m)
  const [list = ''] = numbers.replaceAll('Math.SQRT2', String(Math.SQRT2)).split(/^\]\)$/m)
  const at = '// @ts-ignore: decorator\n@inline\nexport function at(index: int): f64 {'
  return `${head}export const numbers: usize = memory.data<f64>([${list}])
${at}\n  return load<f64>(numbers + (<usize>index << 3))\n}\n`
}

/** The binary of an entry's text in a folder of the sources. */
function compile(entry: string, text: string | undefined, memory: readonly string[]): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), 'buildWasm-'))
  try {
    const binary = join(folder, 'out.wasm')
    gather(folder)
    if (text !== undefined) writeFileSync(join(folder, entry), text)
    const run = [compiler, entry, '--outFile', binary, ...flags, ...memory]
    const { status } = spawnSync(process.execPath, run, { cwd: folder, stdio: 'inherit' })
    if (status !== 0) throw new Error(`buildWasm: the compiler failed [exit status ${status}]`)
    return readFileSync(binary)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** A kernel as its source declares it. */
interface Kernel {
  readonly name: string
  /** Parameters and result for TypeScript, to which all numbers are `number`. */
  readonly signature: string
}

/** The exported functions of a source file that are not inlined into others. */
function kernelsOf(file: string): Kernel[] {
  const text = readFileSync(join(root, 'wasm/assembly', `${file}.ts`), 'utf8')
  const exported = /(?<!@inline\n)export function (\w+)\(([^)]*)\): (\w+)/g
  return [...text.matchAll(exported)].map(([, name = '', parameters = '', result]) => {
    const names = parameters.split(',').map((parameter) => parameter.split(':')[0]!.trim())
    const typed = names.filter((parameter) => parameter !== '').map((parameter) => `${parameter}: number`)
    return { name, signature: `(${typed.join(', ')}): ${result === 'void' ? 'void' : 'number'}` }
  })
}

function base64Of(binary: Uint8Array, stored = false): string {
  return Buffer.from(stored ? binary : deflateSync(binary, { level: 9, mem: 12 })).toString('base64')
}

function kernelFile({ name, files, stored, imports }: KernelModule): string {
  const kernels = files.map((file) => ({ file, kernels: kernelsOf(file) }))
  const entry = kernels.map(
    ({ file, kernels }) => `export { ${kernels.map((kernel) => kernel.name).join(', ')} } from './${file}'\n`,
  )
  const binary = compile('wasm/assembly/entry.ts', entry.join(''), kernelMemory)
  const type = `${name[0]!.toUpperCase()}${name.slice(1)}Kernels`
  const bytes = stored ? 'fromBase64' : 'inflated'
  const others = imports ? `, (arena) => ({ ${imports}: ${imports}Kernels(arena) })` : ''
  return [
    `// Generated by scripts/buildWasm.ts from ${files.join(', ')} of wasm/assembly, ${binary.length} bytes; do not edit.`,
    "import type { Arena } from './arena.js'",
    ...(imports ? [`import { ${imports}Kernels } from './${imports}.wasm.js'`] : []),
    `import { ${bytes}, kernelModule } from './kernelModule.js'`,
    '',
    '/** Places are byte offsets into the memory of the arena. */',
    `export interface ${type} {`,
    ...kernels.flatMap(({ kernels }) => kernels.map(({ name, signature }) => `  ${name}${signature}`)),
    '}',
    '',
    `export const ${name}Kernels: (arena: Arena) => ${type} = /*#__PURE__*/ kernelModule(() =>`,
    `  ${bytes}('${base64Of(binary, stored)}')${others},`,
    ')',
    '',
  ].join('\n')
}

function interpreterFile(): string {
  const binary = compile('wasm/program/index.ts', undefined, programMemory)
  return [
    `// Generated by scripts/buildWasm.ts from wasm/program, ${binary.length} bytes; do not edit.`,
    '/** The compiled interpreter, deflated, base64. */',
    `export const interpreterBase64: string =\n  '${base64Of(binary)}'`,
    '',
  ].join('\n')
}

const options = process.argv.slice(2)
if (options.length > 1 || (options.length === 1 && options[0] !== '--check')) {
  console.error(`buildWasm: unknown option, there is only --check [${options.join(' ')}]`)
  process.exit(2)
}
const targets: readonly (readonly [string, () => string])[] = [
  ...kernelModules.map(
    (module) => [`src/numbers/simd/${module.name}.wasm.ts`, () => kernelFile(module)] as const,
  ),
  ['src/tensors/compile/engine/interpreter.wasm.ts', interpreterFile],
]
for (const [target, file] of targets) {
  const text = file()
  if (options.length === 0) {
    writeFileSync(join(root, target), text)
  } else if (readFileSync(join(root, target), 'utf8') !== text) {
    console.error(`buildWasm: ${target} is not what its sources compile to, run without --check`)
    process.exit(1)
  }
}
