import { open } from 'node:fs/promises'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'

/** An open file whose ranges are read synchronously. */
export interface OpenFile {
  /** Its name, for errors. */
  readonly name: string
  readonly size: number
  read(position: number, n: number): Promise<Uint8Array>
  close(): Promise<void>
}

/** Opens a file; errors begin with `op`. */
export async function openFile(op: string, path: string | URL): Promise<OpenFile> {
  const handle = await open(path, 'r')
  const name = basename(path instanceof URL ? fileURLToPath(path) : path)
  let closed = false
  return {
    name,
    size: (await handle.stat()).size,
    read: async (position, n) => {
      if (closed) throw new RangeError(`${op}: the file was closed [${name}]`)
      const bytes = new Uint8Array(n)
      for (let done = 0; done < n; ) {
        const { bytesRead } = await handle.read(bytes, done, Math.min(n - done, 2 ** 30), position + done)
        if (bytesRead === 0) {
          throw new RangeError(
            `${op}: the file became shorter while it was read [${name}: ${position + done}]`,
          )
        }
        done += bytesRead
      }
      return bytes
    },
    close: async () => {
      if (!closed) await handle.close()
      closed = true
    },
  }
}

/** Runs what may fail over an open file, and closes it when it does. */
export async function closingOnFailure<T>(file: OpenFile, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await file.close()
    throw error
  }
}

const blockBytes = 2 ** 20

/** The bytes of a file from its beginning to `end`, a block at a time. */
export async function* blocksOfFile(
  file: OpenFile,
  end: number = file.size,
): AsyncGenerator<Uint8Array, void, void> {
  for (let at = 0; at < end; at += blockBytes) yield await file.read(at, Math.min(blockBytes, end - at))
}

/** The number of the line that begins at a place of the file, from 1; only for errors. */
export async function lineAt(file: OpenFile, position: number): Promise<number> {
  let line = 1
  for await (const block of blocksOfFile(file, position)) for (const byte of block) if (byte === 0x0a) line++
  return line
}
