import { readFile, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkPath } from '../../../base/options/index.js'

/** One file of a data set. */
export interface Shard {
  readonly path: string
  /** How many records it has, where the manifest says so. */
  readonly records: number | undefined
  readonly bytes: number
  /** What else the manifest says of it, as it says it. */
  readonly [field: string]: unknown
}

/**
 * The files of a data set that a manifest lists, in its order, each of which is there:
 * `{ "shards": ["a.records", { "path": "b.records", "records": 1000, "bytes": 65536 }] }`. Paths are taken from the
 * manifest's folder.
 *
 * Every other field of an entry is kept as it is.
 *
 * Throws    RangeError for a folder in place of the manifest or of a shard; files that are missing (all are named), listed twice, or of another size than the manifest says.
 */
export async function loadShardsFromManifest(path: string | URL): Promise<Shard[]> {
  checkPath('loadShardsFromManifest', path)
  const file = path instanceof URL ? fileURLToPath(path) : path
  if ((await stat(file)).isDirectory()) return refuse('a folder, give the manifest in it', file)
  const listed = parse(file, await readFile(file, 'utf8'))
  const seen = new Set<string>()
  const twice = listed.find(({ path: found }) => seen.size === seen.add(found).size)
  if (twice) return refuse(`a shard is listed twice`, twice.name)
  const sizes = await Promise.all(
    listed.map((entry) =>
      stat(entry.path).then(
        (stats) => (stats.isDirectory() ? refuse('a folder where a shard is to be', entry.name) : stats.size),
        () => undefined,
      ),
    ),
  )
  const missing = listed.filter((_, i) => sizes[i] === undefined)
  if (missing.length > 0) {
    const names = missing.map(({ name }) => name)
    return refuse(
      `${missing.length} of ${listed.length} shards are missing`,
      names.length > 5 ? `${names.slice(0, 5).join(', ')} ...` : names.join(', '),
    )
  }
  return listed.map(({ name, path: found, records, bytes, fields }, i) => {
    if (bytes !== undefined && bytes !== sizes[i]) {
      return refuse(`a shard has not the ${bytes} bytes of the manifest`, `${name}: ${sizes[i]}`)
    }
    return { ...fields, path: found, records, bytes: sizes[i]! }
  })
}

interface Listed {
  readonly name: string
  readonly path: string
  readonly records: number | undefined
  readonly bytes: number | undefined
  readonly fields: Readonly<Record<string, unknown>>
}

function parse(file: string, text: string): Listed[] {
  let manifest: unknown
  try {
    manifest = JSON.parse(text)
  } catch (error) {
    return refuse('not JSON', (error as Error).message)
  }
  const shards = (manifest as { shards?: unknown } | null)?.shards
  if (!Array.isArray(shards)) return refuse('a manifest has a list shards', text.trim().slice(0, 50))
  return shards.map((entry: unknown, i) => {
    const { path, records, bytes, ...fields } = (
      typeof entry === 'string' ? { path: entry } : (entry ?? {})
    ) as Readonly<Record<string, unknown>>
    const isCount = (value: unknown): value is number | undefined =>
      value === undefined || (Number.isSafeInteger(value) && (value as number) >= 0)
    if (typeof path !== 'string' || path === '' || !isCount(records) || !isCount(bytes)) {
      return refuse(
        'not a path, or one with records and bytes',
        `shard ${i}: ${JSON.stringify(entry)?.slice(0, 50)}`,
      )
    }
    if (/^[a-z][a-z\d+.-]+:\/\//i.test(path)) return refuse('not a path of this machine', path.slice(0, 50))
    return { name: path, path: resolve(dirname(file), path), records, bytes, fields }
  })
}

function refuse(why: string, what: string): never {
  throw new RangeError(`loadShardsFromManifest: ${why} [${what}]`)
}
