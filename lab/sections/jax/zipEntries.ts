/** A file of a zip archive. */
export interface ZipEntry {
  readonly name: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

const endSignature = 0x06054b50
const entrySignature = 0x02014b50

/**
 * The files of a zip archive as numpy.savez and savez_compressed write it: stored or deflated, below 4 GiB.
 *
 * Throws    RangeError for what is no such archive.
 */
export async function zipEntries(archive: Uint8Array<ArrayBuffer>): Promise<readonly ZipEntry[]> {
  const view = new DataView(archive.buffer, archive.byteOffset, archive.length)
  let end = archive.length - 22
  while (end >= 0 && view.getUint32(end, true) !== endSignature) end--
  if (end < 0) throw new RangeError('npz: it is no zip archive, or is cut off')
  const entries: ZipEntry[] = []
  let at = view.getUint32(end + 16, true)
  for (let i = 0; i < view.getUint16(end + 10, true); i++) {
    if (at + 46 > end || view.getUint32(at, true) !== entrySignature) {
      throw new RangeError(`npz: the list of its files is damaged [entry ${i}]`)
    }
    const method = view.getUint16(at + 10, true)
    const size = view.getUint32(at + 20, true)
    const named = view.getUint16(at + 28, true)
    const name = new TextDecoder().decode(archive.subarray(at + 46, at + 46 + named))
    const local = view.getUint32(at + 42, true)
    if (local + 30 > end) throw new RangeError(`npz: a file lies outside of it [${name}]`)
    const from = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true)
    if (from + size > end) throw new RangeError(`npz: a file lies outside of it [${name}]`)
    const stored = archive.slice(from, from + size)
    if (method !== 0 && method !== 8) throw new RangeError(`npz: it is neither stored nor deflated [${name}]`)
    entries.push({ name, bytes: method === 0 ? stored : await inflated(stored) })
    at += 46 + named + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
  }
  return entries
}

async function inflated(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}
