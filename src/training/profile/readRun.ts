import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkPath } from '../../base/options/index.js'
import { listCheckpoints } from '../checkpoint/index.js'
import type { Sample } from '../monitor/index.js'
import type { RunCheckpoint, RunProduct, RunRecord } from './runRecord.js'

/**
 * What a run left in a folder: the lines of `jsonLines` in any file .jsonl, checkpoints in it or in its folder `checkpoints`, the products
 * of a trace `trace.json` that `chromeTrace` made, and the environment variables of `environment.json`. A last line that is cut off
 * is left out: whoever wrote it was killed.
 *
 * Throws    RangeError where there is no such folder, nothing of a run in it, or a line that is no sample. What the file system throws.
 *
 * @example readRun('/dev/shm/no-such-folder') // throws readRun: there is no such folder [/dev/shm/no-such-folder]
 */
export function readRun(folder: string | URL): RunRecord {
  checkPath('readRun', folder)
  const top = resolve(folder instanceof URL ? fileURLToPath(folder) : folder)
  if (!statSync(top, { throwIfNoEntry: false })?.isDirectory()) {
    throw new RangeError(`readRun: there is no such folder [${top}]`)
  }
  const samples = readdirSync(top)
    .filter((name) => name.endsWith('.jsonl'))
    .sort()
    .flatMap((name) => samplesIn(join(top, name)))
    .sort((a, b) => a.time - b.time || a.step - b.step)
  const checkpoints = checkpointsIn(top) ?? checkpointsIn(join(top, 'checkpoints'))
  if (samples.length === 0 && checkpoints === undefined) {
    throw new RangeError(
      `readRun: there is nothing of a run, no .jsonl of jsonLines and no checkpoint [${top}]`,
    )
  }
  const products = productsIn(join(top, 'trace.json'))
  const environment = environmentIn(join(top, 'environment.json'))
  return {
    samples,
    ...(checkpoints ? { checkpoints } : {}),
    ...(products ? { products } : {}),
    ...(environment ? { environment } : {}),
  }
}

function samplesIn(path: string): Sample[] {
  const lines = readFileSync(path, 'utf8').split('\n')
  // Whole lines end with a newline; behind the last one is nothing, or what was cut off.
  return lines.slice(0, -1).map((line, i) => {
    const value = parsed(line, `${path}:${i + 1}`)
    if (!isSample(value)) throw new RangeError(`readRun: a line is no sample of jsonLines [${path}:${i + 1}]`)
    const values = Object.fromEntries(Object.entries(value.values).map(([name, x]) => [name, numberOf(x)]))
    return { ...value, values }
  })
}

function parsed(text: string, where: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new RangeError(`readRun: this is no JSON [${where}]`, { cause })
  }
}

function isSample(value: unknown): value is Sample {
  if (typeof value !== 'object' || value === null) return false
  const { step, time, values, nonFinite } = value as Partial<Record<keyof Sample, unknown>>
  const isRecord = (x: unknown): boolean => typeof x === 'object' && x !== null
  return typeof step === 'number' && typeof time === 'number' && isRecord(values) && isRecord(nonFinite)
}

/** What JSON lacks stands there as text. */
function numberOf(x: unknown): number {
  return typeof x === 'number' ? x : x === 'Infinity' ? Infinity : x === '-Infinity' ? -Infinity : Number.NaN
}

/** The checkpoints of a folder; undefined where there are none. */
function checkpointsIn(top: string): readonly RunCheckpoint[] | undefined {
  const list = listCheckpoints(top)
  if (list.length === 0) return undefined
  return list.map(({ step, refused }) => {
    const folder = readdirSync(top).find((name) => /^step-\d+$/.test(name) && Number(name.slice(5)) === step)
    const time = folder === undefined ? 0 : statSync(join(top, folder)).mtimeMs / 1000
    return refused === undefined ? { step, time } : { step, time, refused }
  })
}

function productsIn(path: string): readonly RunProduct[] | undefined {
  if (!existsSync(path)) return undefined
  const trace = parsed(readFileSync(path, 'utf8'), path) as { readonly traceEvents?: readonly unknown[] }
  return (trace.traceEvents ?? []).flatMap((event) => {
    const { args, dur } = event as {
      readonly args?: Readonly<Record<string, unknown>>
      readonly dur?: number
    }
    const [m, k, n, count] = ['m', 'k', 'n', 'count'].map((name) => Number(args?.[name]))
    return m && k && n && count ? [{ m, k, n, count, microseconds: dur ?? 0 }] : []
  })
}

function environmentIn(path: string): Readonly<Record<string, string>> | undefined {
  if (!existsSync(path)) return undefined
  const value = parsed(readFileSync(path, 'utf8'), path)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new RangeError(`readRun: this is no record of environment variables [${path}]`)
  }
  return Object.fromEntries(Object.entries(value).map(([name, text]) => [name, String(text)]))
}
