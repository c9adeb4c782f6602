import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createContext, runInContext } from 'node:vm'
import { buildSync } from 'esbuild'
import ts from 'typescript'
import { doors } from './doors.js'
import { inTemporaryFolder, type Packed, pack, projectWith, run } from './packed.js'

// Checks the package as a stranger gets it: packed, installed in an empty project, used from JavaScript, from
// TypeScript in each way of resolving modules, and in a bundle for a browser. Run by `npm run check:package`.

const checkout = process.cwd()
const step = (name: string): void => console.log(`check:package: ${name}`)
const fail = (what: string): never => {
  throw new Error(`check:package: ${what}`)
}

function checkFiles({ tarball, files }: Packed, folder: string): void {
  for (const file of files) {
    if (/^(LICENSE|README\.md|CHANGELOG\.md|package\.json|src\/README\.md|src\/.*\.ts)$/.test(file)) continue
    const source =
      /^dist\/(.*?)(\.d\.ts|\.js)(\.map)?$/.exec(file)?.[1] ??
      fail(`a file that should not be packed [${file}]`)
    if (!existsSync(`src/${source}.ts`))
      fail(`left over from a file that is gone, run npm run clean [${file}]`)
  }
  run('tar', ['-xzf', tarball, '-C', folder], folder)
  for (const file of files) {
    const text = readFileSync(join(folder, 'package', file), 'utf8')
    if (text.includes(checkout)) fail(`the path of the checkout is in it [${file}]`)
    if (file.endsWith('.d.ts') && /\b(Uint|Int|Float|BigUint|BigInt)\d+Array</.test(text)) {
      fail(`a typed array with a type argument, which TypeScript 5.0 reads as any [${file}]`)
    }
  }
}

/** The first example of README.md. */
function readmeExample(): string {
  return (
    /^```ts\n([\s\S]*?)^```$/m.exec(readFileSync('README.md', 'utf8'))?.[1] ??
    fail('README.md has no ```ts block')
  )
}

/** What the example's comments promise it prints, one line per console.log. */
function promised(example: string): string {
  return [...example.matchAll(/console\.log\(.*\) \/\/ (.*)$/gm)].map(([, line]) => `${line}\n`).join('')
}

/** A module that touches every door, so that each subpath is resolved, type-checked and loaded. */
const everyDoor = [
  "import * as root from 'tpu-toolkit'",
  ...doors.map(({ folder }) => `import * as ${folder} from 'tpu-toolkit/${folder}'`),
  `console.log([root, ${doors.map(({ folder }) => folder).join(', ')}].every((door) => Object.keys(door).length > 0))`,
].join('\n')

function checkTypeScript(project: string, compiler: string, resolution: string, module: string): void {
  const version = JSON.parse(
    readFileSync(join(project, 'node_modules', compiler, 'package.json'), 'utf8'),
  ).version
  step(`TypeScript ${version}, moduleResolution ${resolution}`)
  const options = {
    target: 'ES2022',
    lib: ['ES2022', 'DOM'],
    types: [],
    module,
    moduleResolution: resolution,
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    outDir: `out-${compiler}-${resolution}`,
    rootDir: '.',
  }
  const files = ['example.ts', 'everyDoor.ts']
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files }))
  run(process.execPath, [join('node_modules', compiler, 'bin', 'tsc'), '-p', '.'], project)
  const said = run(process.execPath, [join(options.outDir, 'example.js')], project)
  if (said !== promised(readmeExample())) fail(`the README example prints something else\n${said}`)
}

function checkBrowser(project: string): void {
  const example = readmeExample()
  const { outputFiles, metafile } = buildSync({
    stdin: {
      contents: `${example}\nimport * as all from 'tpu-toolkit'\nconsole.log(Object.keys(all).length > 0)\n`,
      resolveDir: project,
    },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    platform: 'browser',
    format: 'iife',
    target: 'es2022',
  })
  const [bundle] = outputFiles
  if (!bundle || /["']node:/.test(bundle.text)) fail('a Node module is in the browser bundle')
  const strangers = Object.keys(metafile.inputs).filter((path) =>
    /node_modules\/(linkedom|@observablehq|d3)/.test(path),
  )
  if (strangers.length > 0) fail(`the browser bundle holds what only reports need [${strangers[0]}]`)
  // A context without process, Buffer or require: only the language, and what every browser has besides.
  const lines: string[] = []
  const page = createContext({
    console: { log: (...values: unknown[]) => lines.push(values.join(' ')) },

    atob,
    TextDecoder,
    TextEncoder,
    performance,
    crypto,
  })
  runInContext(bundle?.text ?? '', page)
  const said = `${lines.join('\n')}\n`
  if (said !== `${promised(example)}true\n`) fail(`the browser bundle prints something else\n${said}`)
  step(`browser bundle of the root: ${((bundle?.contents.length ?? 0) / 1024).toFixed(0)} KiB`)
}

inTemporaryFolder((folder) => {
  const packed = pack(folder)
  step(`${packed.files.length} files`)
  checkFiles(packed, folder)
  step('publint')
  run(process.execPath, ['node_modules/publint/src/cli.js', 'run', '--strict', packed.tarball], checkout)
  step('are the types wrong')
  run(
    process.execPath,
    ['node_modules/@arethetypeswrong/cli/dist/index.js', packed.tarball, '--profile', 'esm-only'],
    checkout,
  )

  step('install in an empty project')
  const project = projectWith(folder, packed, ['typescript@6.0.3', 'tslab-typescript@npm:typescript@5.0.4'])
  writeFileSync(join(project, 'example.ts'), readmeExample())
  writeFileSync(join(project, 'everyDoor.ts'), everyDoor)
  const plain = (code: string): string =>
    ts.transpileModule(code, {
      compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ES2022 },
    }).outputText
  writeFileSync(join(project, 'example.js'), plain(readmeExample()))
  writeFileSync(join(project, 'everyDoor.js'), everyDoor)
  step('the README example and every door, from JavaScript')
  const said = run(process.execPath, ['example.js'], project)
  if (said !== promised(readmeExample())) fail(`the README example prints something else\n${said}`)
  run(process.execPath, ['everyDoor.js'], project)
  for (const compiler of ['typescript', 'tslab-typescript']) {
    checkTypeScript(project, compiler, 'node16', 'node16')
    checkTypeScript(project, compiler, 'bundler', 'es2022')
  }
  // As inside tslab: before `exports`, by main, types and typesVersions.
  checkTypeScript(project, 'tslab-typescript', 'node', 'es2022')
  checkBrowser(project)
})
