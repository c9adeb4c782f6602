import { writeSync } from 'node:fs'
import { checkInteger, shown } from '../../../base/options/index.js'

/**
 * Writes all of the bytes, at a place or where the file stands: one call to the system writes less than 2 GiB, and on a disk
 * that is nearly full less than it was given without an error; the call after that one fails.
 */
export function writeFully(handle: number, bytes: Uint8Array, position?: number): void {
  checkInteger('writeFully', 'handle', handle)
  if (!(bytes instanceof Uint8Array)) throw new TypeError(`writeFully: not bytes [${shown(bytes)}]`)
  for (let done = 0; done < bytes.length; ) {
    const at = position === undefined ? null : position + done
    done += writeSync(handle, bytes, done, Math.min(bytes.length - done, 2 ** 30), at)
  }
}
