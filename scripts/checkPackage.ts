import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { textTable } from 'tpu-toolkit/report'
import ts from 'typescript'
import { logOfPage } from './browser.js'
import { bundle } from './bundles.js'
import { doors, isPortable } from './doors.js'
import { inTemporaryFolder, type Packed, pack, projectWith, run } from './packed.js'

// Checks the package as a stranger gets it: packed, installed in an empty project, used from JavaScript, from
// TypeScript in each way of resolving modules, and in a browser. Run by `npm run check:package`.

/** The most bytes that the package may have. */
const limits = { tarball: 2_200_000, unpacked: 7_200_000, lab: 1_350_000 }

/** The most bytes of what a page loads that imports an entry point whole. */
const doorLimits: Readonly<Record<string, number>> = {
  'tpu-toolkit': 1_480_000,
  'tpu-toolkit/schedule': 13_000,
}

/** A few names of an entry point and the most bytes of what a page loads that imports them: what is not used is left out. */
const partLimits: readonly (readonly [names: string, from: string, bytes: number])[] = [
  ['linearSchedule', 'tpu-toolkit/schedule', 5_000],
  ['schedule', 'tpu-toolkit', 13_000],
  ['encode, decode', 'tpu-toolkit/bf16', 8_000],
  ['add, sub, mul, div, fma, addArrays, subArrays, mulArrays, divArrays', 'tpu-toolkit/bf16', 16_000],
  ['tensor, add', 'tpu-toolkit/tensor', 53_000],
  ['tensor, matmul', 'tpu-toolkit/tensor', 55_000],
  ['safetensorsOver', 'tpu-toolkit/files', 32_000],
  ['compile', 'tpu-toolkit/compile', 295_000],
  // Optimizers without the compiler, which makeTrainStep has: 325 kB.
  ['adamw', 'tpu-toolkit/optimizer', 215_000],
]

const checkout = process.cwd()
const step = (name: string): void => console.log(`check:package: ${name}`)
const fail = (what: string): never => {
  throw new Error(`check:package: ${what}`)
}

function checkFiles({ tarball, files }: Packed, folder: string): void {
  for (const file of files) {
    if (
      /^(LICENSE|README\.md|CHANGELOG\.md|package\.json|src\/README\.md|docs\/[\w-]+\.md|docs\/pictures\/[\w-]+\.svg)$/.test(
        file,
      )
    ) {
      continue
    }
    const source =
      /^dist\/(.*?)(\.d\.ts|\.js)$/.exec(file)?.[1] ?? fail(`a file that should not be packed [${file}]`)
    if (!existsSync(`src/${source}.ts`)) {
      fail(`left over from a file that is gone, run npm run clean [${file}]`)
    }
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

/** A module that touches every entry point, so that each subpath is resolved, type-checked and loaded. */
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

function checkSize({ bytes, unpackedBytes, files }: Packed): void {
  step(`${files.length} files, ${bytes} bytes packed, ${unpackedBytes} unpacked`)
  if (bytes >= limits.tarball) fail(`the tarball is too large [${bytes} bytes, limit ${limits.tarball}]`)
  if (unpackedBytes >= limits.unpacked) {
    fail(`the unpacked package is too large [${unpackedBytes} bytes, limit ${limits.unpacked}]`)
  }
}

/** No script runs on a user's machine at installation, and nothing installed with the package is compiled. */
function checkInstallation(project: string): void {
  const { packages } = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { hasInstallScript?: boolean; optional?: boolean; dev?: boolean }>
  }
  const scripted = Object.entries(packages).filter(([, facts]) => facts.hasInstallScript && !facts.optional)
  if (scripted.length > 0) fail(`a package runs a script when it is installed [${scripted[0]?.[0]}]`)
  step(`${Object.keys(packages).length - 1} packages installed, none with an install script`)
}

/** Bundles every entry point: those that run anywhere for a browser, the others for Node. */
function checkBundles(project: string): void {
  const whole = (name: string): string => `import * as door from '${name}'\nconsole.log(door)\n`
  const sizes: { what: string; where: 'browser' | 'Node'; bytes: number; packages: string[] }[] = []
  const add = (what: string, code: string, where: 'browser' | 'Node' = 'browser'): void => {
    const { bytes, files } =
      where === 'browser' ? bundle(code, project) : bundle(code, project, 'node', 'esm')
    sizes.push({ what, where, bytes, packages: packagesIn(files) })
  }
  add('tpu-toolkit', whole('tpu-toolkit'))
  for (const door of doors) {
    const name = `tpu-toolkit/${door.folder}`
    add(name, whole(name), isPortable(door) ? 'browser' : 'Node')
  }
  const partName = (names: string, from: string): string => `${names} of ${from}`
  for (const [names, from] of partLimits) {
    add(partName(names, from), `import { ${names} } from '${from}'\nconsole.log(${names})\n`)
  }
  add('the README example', readmeExample())
  const columns = [
    { key: 'what', header: 'minified bundle' },
    { key: 'where', header: 'for' },
    { key: 'bytes' },
    { key: 'packages', header: 'other packages in it' },
  ]
  const shown = (names: string[]): string =>
    names.length > 5 ? `${names.slice(0, 4).join(' ')} and ${names.length - 4} more` : names.join(' ')
  console.log(
    textTable(
      columns,
      sizes.map((size) => ({ ...size, packages: shown(size.packages) })),
    ),
  )
  for (const { what, where, packages } of sizes) {
    const stranger = packages.find((name) => /^(linkedom|@observablehq|d3)/.test(name))
    if (where === 'browser' && stranger) {
      fail(`a browser bundle holds what only reports need [${what}: ${stranger}]`)
    }
  }
  const bundleLimits = [
    ...Object.entries(doorLimits),
    ...partLimits.map(([names, from, limit]) => [partName(names, from), limit] as const),
  ]
  for (const [name, limit] of bundleLimits) {
    const bytes = sizes.find(({ what }) => what === name)?.bytes ?? Number.POSITIVE_INFINITY
    if (bytes >= limit) fail(`a bundle is too large [${name}: ${bytes} bytes, limit ${limit}]`)
  }
}

/** The packages, ours left out, that files in a node_modules folder belong to. */
function packagesIn(files: readonly string[]): string[] {
  const names = files.map((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? '')
  return [...new Set(names)].filter((name) => name !== '' && name !== 'tpu-toolkit').sort()
}

/** The same module in Node and in a page gives the same bits. */
function checkBrowser(project: string, folder: string): void {
  const work = `${readFileSync('scripts/browserWork.ts', 'utf8')}\n${readmeExample()}`
  // Inside the installed package, since it uses #simd.
  const installed = join(project, 'node_modules/tpu-toolkit')
  writeFileSync(join(project, 'work.js'), bundle(work, installed, 'node', 'esm').text)
  const expected = run(process.execPath, ['work.js'], project)
  if (!expected.includes('kernels: wasm, equal to plain:')) {
    fail(`Node has no WebAssembly kernels\n${expected}`)
  }
  const said = logOfPage(bundle(work, installed).text, folder)
  if (said !== expected) fail(`a browser computes something else\n${said}instead of\n${expected}`)
  step(`a page in Chromium computes the bits of Node: ${expected.split(/\s/).length} words`)
}

/** The page is a package of its own; the command finds it in an empty project and serves it. */
function checkLab(project: string, folder: string): void {
  const said = run(
    'npm',
    ['pack', '--ignore-scripts', '--json', '--pack-destination', folder],
    join(checkout, 'lab/package'),
  )
  const [{ filename, size, files }] = JSON.parse(said) as [
    { filename: string; size: number; files: unknown[] },
  ]
  step(`the lab: ${files.length} files, ${size} bytes packed`)
  if (size >= limits.lab) fail(`the lab's tarball is too large [${size} bytes, limit ${limits.lab}]`)
  run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', join(folder, filename)], project)
  const asks = `
    const { spawn } = require('node:child_process')
    const lab = spawn('npx', ['--no-install', 'tpu-toolkit', 'lab'], { detached: true })
    lab.stdout.once('data', async (said) => {
      const [url] = /http\\S+/.exec(String(said))
      const answer = await fetch(url)
      console.log(answer.status, (await answer.text()).includes('<title>tpu-toolkit lab</title>'))
      process.kill(-lab.pid)
    })`
  const answered = run(process.execPath, ['-e', asks], project)
  if (answered !== '200 true\n') fail(`tpu-toolkit lab does not serve its page\n${answered}`)
}

inTemporaryFolder((folder) => {
  const packed = pack(folder)
  checkSize(packed)
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
  step('the command')
  const inspected = run('npx', ['--no-install', 'tpu-toolkit', 'inspect', '0.1'], project)
  if (!inspected.includes('0x3dcd')) fail(`npx tpu-toolkit inspect 0.1 prints something else\n${inspected}`)
  for (const compiler of ['typescript', 'tslab-typescript']) {
    checkTypeScript(project, compiler, 'node16', 'node16')
    checkTypeScript(project, compiler, 'bundler', 'es2022')
  }
  // As inside tslab: before `exports`, by main, types and typesVersions.
  checkTypeScript(project, 'tslab-typescript', 'node', 'es2022')
  checkInstallation(project)
  checkBundles(project)
  checkBrowser(project, folder)
  checkLab(project, folder)
})
