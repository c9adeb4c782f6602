import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

/** An open file whose ranges can be read. */
export interface ByteFile {
  readonly size: number
  /** Fresh bytes from this place on. */
  readonly read: (position: number, n: number) => Uint8Array
  /** Closes the file, once; nothing can be read afterwards. */
  readonly close: () => void
}

/** Opens a file for reads of ranges; errors begin with `op`. */
export function openBytes(op: string, path: string | URL): ByteFile {
  let handle: number | undefined = openSync(path, 'r')
  return {
    size: fstatSync(handle).size,
    read: (position, n) => {
      if (handle === undefined) throw new RangeError(`${op}: the file was closed [${String(path)}]`)
      return readFully(op, handle, position, n)
    },
    close: () => {
      if (handle !== undefined) closeSync(handle)
      handle = undefined
    },
  }
}

function readFully(op: string, handle: number, position: number, n: number): Uint8Array {
  const bytes = new Uint8Array(n)
  let done = 0
  while (done < n) {
    // One call reads less than 2 GiB.
    const got = readSync(handle, bytes, done, Math.min(n - done, 2 ** 30), position + done)
    if (got === 0) {
      throw new RangeError(`${op}: the file became shorter while it was read [${position + done}]`)
    }
    done += got
  }
  return bytes
}
