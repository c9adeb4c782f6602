import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { inTemporaryFolder, pack, projectWith } from './packed.js'

// Executes every notebook of notebooks/ against the packed package, in a project of its own: `npm run notebooks`.
// With `-- --write` the outputs are stored in the notebooks; without, they must equal the stored ones.

const usage = 'usage: npm run notebooks [-- --write] [notebook.ipynb ...]'

/** A Python that can drive notebooks: the first that has nbclient. */
function python(): string {
  const names = ['python3', '/usr/bin/python3']
  const found = names.find((name) => spawnSync(name, ['-c', 'import nbclient, nbformat']).status === 0)
  if (found) return found
  throw new Error(
    `notebooks: no Python with nbclient [${names.join(', ')}]; apt-get install jupyter-nbconvert jupyter-client, or pip install nbclient`,
  )
}

const args = process.argv.slice(2)
const unknown = args.find((arg) => arg.startsWith('-') && arg !== '--write')
if (unknown) {
  console.error(`notebooks: unknown option [${unknown}]\n${usage}`)
  process.exit(2)
}
const named = args.filter((arg) => arg !== '--write')
const notebooks =
  named.length > 0
    ? named
    : readdirSync('notebooks')
        .filter((name) => name.endsWith('.ipynb'))
        .map((name) => join('notebooks', name))
if (notebooks.length === 0) throw new Error('notebooks: there are none [notebooks/*.ipynb]')

const interpreter = python()
inTemporaryFolder((folder) => {
  const project = projectWith(folder, pack(folder), ['tslab@1.0.22'])
  const kernel = join(folder, 'share/jupyter/kernels/tslab')
  mkdirSync(kernel, { recursive: true })
  const argv = [
    process.execPath,
    join(project, 'node_modules/tslab/bin/tslab'),
    'kernel',
    '--config-path',
    '{connection_file}',
  ]
  writeFileSync(
    join(kernel, 'kernel.json'),
    JSON.stringify({ argv, display_name: 'TypeScript', language: 'typescript' }),
  )
  const { status, error } = spawnSync(
    interpreter,
    [
      'scripts/notebooks.py',
      project,
      args.includes('--write') ? '--write' : '--check',
      ...notebooks.map((path) => resolve(path)),
    ],
    {
      stdio: 'inherit',
      env: {
        ...process.env,
        JUPYTER_PATH: join(folder, 'share/jupyter'),
        JUPYTER_RUNTIME_DIR: join(folder, 'runtime'),
        JUPYTER_CONFIG_DIR: join(folder, 'config'),
      },
    },
  )
  if (error) throw error
  process.exitCode = status ?? 1
})
