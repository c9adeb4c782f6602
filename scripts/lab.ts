import { fileURLToPath } from 'node:url'
import { buildLab } from './buildLab.js'

// Builds the page of the lab into lab/package/page: what the package tpu-toolkit-lab consists of, and what `tpu-toolkit lab` serves. Run by
// `npm run lab`.

const root = fileURLToPath(new URL('../..', import.meta.url))
const { files, initialBytes } = await buildLab(root, `${root}lab/package/page`)
const sum = (of: 'bytes' | 'gzipped'): number => files.reduce((total, file) => total + file[of], 0)
const kB = (bytes: number): string => `${(bytes / 1000).toFixed(0)} kB`
console.log(
  `lab: ${files.length} files, ${kB(sum('bytes'))}, ${kB(sum('gzipped'))} gzipped; ${kB(initialBytes)} of JavaScript before the first section`,
)
