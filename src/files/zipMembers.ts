/** What the directory of a zip file says of one member. */
export interface ZipMember {
  readonly name: string
  readonly crc: number
  /** Bytes in the file. */
  readonly stored: number
  /** Bytes when inflated. */
  readonly size: number
}

const endMark = 0x06054b50
const entryMark = 0x02014b50
const zip64 = 0xffffffff

/**
 * The members in the directory of a zip file. fflate inflates them but tells no checksum and compares none.
 *
 * Source    PKWARE APPNOTE 6.3, sections 4.3.12 (directory), 4.3.16 (its end)
 */
export function zipMembers(op: string, bytes: Uint8Array): ZipMember[] {
  const refuse = (why: string): never => {
    throw new RangeError(`${op}: not a zip file that can be read [${why}]`)
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  let end = bytes.length - 22
  // A comment of at most 65,535 bytes may stand behind the end of the directory.
  const least = Math.max(0, end - 65_535)
  while (end >= least && view.getUint32(end, true) !== endMark) end--
  if (end < least) return refuse('no directory')
  const count = view.getUint16(end + 10, true)
  let at = view.getUint32(end + 16, true)
  if (count === 0xffff || at === zip64) return refuse('zip64')
  const members: ZipMember[] = []
  for (let i = 0; i < count; i++) {
    if (at + 46 > end || view.getUint32(at, true) !== entryMark) return refuse(`no entry ${i} of ${count}`)
    const nameEnd = at + 46 + view.getUint16(at + 28, true)
    if (nameEnd > end) return refuse(`no entry ${i} of ${count}`)
    if ((view.getUint16(at + 8, true) & 1) !== 0) return refuse('encrypted')
    const name = new TextDecoder().decode(bytes.subarray(at + 46, nameEnd))
    const [crc, stored, size] = [16, 20, 24].map((offset) => view.getUint32(at + offset, true))
    if (stored === zip64 || size === zip64) return refuse('zip64')
    members.push({ name, crc: crc!, stored: stored!, size: size! })
    at = nameEnd + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
  }
  return members
}
