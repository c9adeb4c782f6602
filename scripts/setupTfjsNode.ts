/**
 * Sets up @tensorflow/tfjs-node from registry packages alone, where its own download of the native library is refused:
 * the npm package without its install script, TensorFlow's libraries and headers out of the Python wheel, and the
 * binding compiled here. It lies in `.tfjs-node`, beside `node_modules` so that `npm ci` leaves it alone, or in the
 * folder given. What already runs is left as it is. Linux on x64; needs npm, Python 3 with pip, and g++.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inTemporaryFolder, run } from './packed.js'

const version = '4.22.0'
const headers = 'node-api-headers@1.9.0'
/** The smallest wheel that has what this binding calls. */
const wheel = 'tensorflow-cpu==2.12.0'

/** Copies the members of a wheel that the binding is compiled against and runs with. */
const extract = `
import pathlib, shutil, sys, zipfile
wheel, deps = sys.argv[1], pathlib.Path(sys.argv[2])
libraries = ('libtensorflow_cc.so.2', 'libtensorflow_framework.so.2')
inside = 'tensorflow/include/tensorflow/'
with zipfile.ZipFile(wheel) as members:
    for name in members.namelist():
        if name.endswith('/'):
            continue
        if name.startswith(tuple(inside + part for part in ('c/', 'tsl/', 'core/platform/'))):
            target = deps / 'include' / name[len('tensorflow/include/'):]
        elif name.removeprefix('tensorflow/') in libraries:
            target = deps / 'lib' / name.removeprefix('tensorflow/')
        else:
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        with members.open(name) as source, open(target, 'wb') as copy:
            shutil.copyfileobj(source, copy)
missing = [name for name in libraries if not (deps / 'lib' / name).exists()]
if missing:
    sys.exit('not in the wheel: ' + ', '.join(missing))
`

/** Multiplies two matrices and prints which TensorFlow did it. */
const proof = `
const tf = require('@tensorflow/tfjs-node')
const [product] = tf.matMul([[3]], [[2]]).dataSync()
if (product !== 6 || tf.getBackend() !== 'tensorflow') throw new Error('3 * 2 is ' + product + ' on ' + tf.getBackend())
process.stdout.write(tf.version['tfjs-node'])
`

/** The version that runs in the folder, or why none does. */
function tried(folder: string): { readonly runs?: string; readonly why: string } {
  const env = { ...process.env, TF_CPP_MIN_LOG_LEVEL: '2' }
  const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', proof], {
    cwd: folder,
    encoding: 'utf8',
    env,
  })
  return status === 0 ? { runs: stdout, why: '' } : { why: stderr }
}

function checkTools(): void {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error(
      `setup:tfjs-node: only Linux on x64 has the libraries as a wheel [${process.platform} ${process.arch}]`,
    )
  }
  const tools = [
    { name: 'python3 with pip', command: ['python3', '-m', 'pip', '--version'], debian: 'python3-pip' },
    { name: 'g++', command: ['g++', '--version'], debian: 'g++' },
    { name: 'npm', command: ['npm', '--version'], debian: 'npm' },
  ]
  for (const { name, command, debian } of tools) {
    const [program = '', ...args] = command
    if (spawnSync(program, args).status !== 0) {
      throw new Error(`setup:tfjs-node: needs ${name}, on Debian the package ${debian} [not found]`)
    }
  }
}

/** Runs one step; where it fails, the error says which, and what the program said. */
function step(what: string, program: string, args: readonly string[], cwd: string): void {
  console.log(`setup:tfjs-node: ${what}`)
  try {
    run(program, args, cwd)
  } catch (error) {
    throw new Error(`setup:tfjs-node: could not ${what} [${(error as Error).message.slice(-2000).trim()}]`)
  }
}

function install(folder: string): void {
  mkdirSync(folder, { recursive: true })
  const manifest = join(folder, 'package.json')
  if (!existsSync(manifest)) writeFileSync(manifest, '{ "private": true }\n')
  const quiet = ['--no-save', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund']
  step(
    `install @tensorflow/tfjs-node ${version} without its script`,
    'npm',
    ['install', ...quiet, `@tensorflow/tfjs-node@${version}`, headers],
    folder,
  )
  const home = join(folder, 'node_modules/@tensorflow/tfjs-node')
  inTemporaryFolder((temporary) => {
    // The wheel's Python is that of its name; which one runs here does not matter.
    const chosen = ['--only-binary=:all:', '--python-version', '311', '--platform', 'manylinux2014_x86_64']
    const pip = ['-m', 'pip', 'download', '-q', '--no-deps', '--disable-pip-version-check', ...chosen]
    step(`fetch the wheel ${wheel}, 222 MB`, 'python3', [...pip, '-d', temporary, wheel], temporary)
    const [file = ''] = readdirSync(temporary).filter((name) => name.endsWith('.whl'))
    rmSync(join(home, 'deps'), { recursive: true, force: true })
    step(
      'unpack its libraries',
      'python3',
      ['-c', extract, join(temporary, file), join(home, 'deps')],
      temporary,
    )
  })
  mkdirSync(join(home, 'lib/napi-v8'), { recursive: true })
  const sources = readdirSync(join(home, 'binding')).filter((name) => name.endsWith('.cc'))
  const libraries = ['libtensorflow_cc.so.2', 'libtensorflow_framework.so.2']
  step(
    'compile the binding',
    'g++',
    [
      ...['-shared', '-fPIC', '-O2', '-w', '-std=c++17', '-DNAPI_VERSION=8'],
      ...[`-I${join(folder, 'node_modules/node-api-headers/include')}`, `-I${join(home, 'deps/include')}`],
      ...sources.map((name) => join(home, 'binding', name)),
      `-L${join(home, 'deps/lib')}`,
      ...libraries.map((name) => `-l:${name}`),
      '-Wl,-rpath,$ORIGIN/../../deps/lib',
      ...['-o', join(home, 'lib/napi-v8/tfjs_binding.node')],
    ],
    folder,
  )
}

function main(): void {
  const [given = fileURLToPath(new URL('../../.tfjs-node', import.meta.url)), ...more] = process.argv.slice(2)
  if (given.startsWith('-') || more.length > 0) {
    throw new Error(
      `setup:tfjs-node: takes at most the folder to set it up in [${process.argv.slice(2).join(' ')}]`,
    )
  }
  const folder = resolve(given)
  const before = existsSync(join(folder, 'node_modules')) ? tried(folder).runs : undefined
  if (before !== undefined) {
    console.log(`setup:tfjs-node: tfjs-node ${before} runs already in ${folder}`)
    return
  }
  checkTools()
  install(folder)
  const { runs, why } = tried(folder)
  if (runs === undefined) {
    throw new Error(`setup:tfjs-node: built, but it does not run [${why.slice(-2000).trim()}]`)
  }
  console.log(`setup:tfjs-node: tfjs-node ${runs} runs in ${folder}`)
}

try {
  main()
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
