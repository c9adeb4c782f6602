import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { driftCsv, driftJson } from './json.js'
import { driftPage } from './page.js'
import type { DriftResults } from './run.js'

/** The files of a report by name. */
export function driftFiles(results: DriftResults): Record<string, string> {
  return {
    'index.html': driftPage(results),
    'drift.json': driftJson(results),
    'drift.csv': driftCsv(results),
  }
}

/** Writes files into a folder, which is made where it is missing; returns their paths. */
export function writeFiles(folder: string, files: Readonly<Record<string, string>>): string[] {
  mkdirSync(folder, { recursive: true })
  return Object.entries(files).map(([name, text]) => {
    const path = join(folder, name)
    writeFileSync(path, text)
    return path
  })
}
