import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Runs a program and returns what it wrote to stdout; where it fails, throws with everything it said. */
export function run(program: string, args: readonly string[], cwd: string): string {
  const done = spawnSync(program, args, { cwd, encoding: 'utf8', maxBuffer: 2 ** 28 })
  if (done.error) throw done.error
  if (done.status === 0) return done.stdout
  throw new Error(`${program} ${args.join(' ')}: exit ${done.status}\n${done.stdout}${done.stderr}`)
}

/** Calls `work` with a fresh folder outside the checkout and removes the folder afterwards. */
export function inTemporaryFolder(work: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'tpu-toolkit-'))
  try {
    work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What `npm pack` says of the tarball it wrote. */
export interface Packed {
  readonly tarball: string
  readonly files: readonly string[]
  /** The size of the tarball, and of the files in it. */
  readonly bytes: number
  readonly unpackedBytes: number
}

/** Packs the checkout in the current folder, as it is built now, into `folder`. */
export function pack(folder: string): Packed {
  run(process.execPath, ['scripts/leaveOutDeclarations.mjs'], process.cwd())
  const said = run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], process.cwd())
  const [{ filename, files, size, unpackedSize }] = JSON.parse(said) as [
    { filename: string; files: { path: string }[]; size: number; unpackedSize: number },
  ]
  return {
    tarball: join(folder, filename),
    files: files.map((file) => file.path),
    bytes: size,
    unpackedBytes: unpackedSize,
  }
}

/** An empty project in `folder/project` with the packed package, and others from the registry, installed by name. */
export function projectWith(folder: string, { tarball }: Packed, others: readonly string[]): string {
  const project = join(folder, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{ "name": "empty", "private": true, "type": "module" }\n')
  run(
    'npm',
    ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--save-exact', tarball, ...others],
    project,
  )
  return project
}
