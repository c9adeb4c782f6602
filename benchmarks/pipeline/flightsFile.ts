import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BadInput } from '#cli'

const source = 'vega-datasets@3.2.1'
const sha256 = '3a0e2e459f388c98f5323a59ccd011a888e717603480fa27cbaacbd000370d5b'
const cached = fileURLToPath(new URL('../../data/flights-200k.arrow', import.meta.url))

/**
 * The path of flights-200k.arrow (delay, distance and time of 200,000 US flights; vega-datasets, BSD-3-Clause): the one
 * given, the one in build/data, or the pinned package's, which is installed into a temporary folder and removed again.
 */
export function flightsFile(given: string | undefined): string {
  const path = given ?? cached
  if (!existsSync(path) && given === undefined) fetchFlights()
  if (!existsSync(path)) throw new BadInput(`there is no such file [${path}]`)
  const found = createHash('sha256').update(readFileSync(path)).digest('hex')
  if (found !== sha256) throw new BadInput(`not the flights-200k.arrow of ${source} [sha256 ${found}]`)
  return path
}

function fetchFlights(): void {
  const folder = mkdtempSync(join(tmpdir(), 'flights-'))
  try {
    writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
    execFileSync('npm', ['install', '--no-save', '--ignore-scripts', '--silent', source], {
      cwd: folder,
      stdio: 'pipe',
    })
    mkdirSync(dirname(cached), { recursive: true })
    copyFileSync(join(folder, 'node_modules', 'vega-datasets', 'data', 'flights-200k.arrow'), cached)
  } catch (thrown) {
    throw new BadInput(
      `${source} cannot be installed, give the file with --file [${(thrown as Error).message.split('\n')[0]}]`,
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
