/** One member of a zip file, as its directory and its own header say alike. */
export interface ZipMember {
  readonly name: string
  readonly method: 'stored' | 'deflated'
  readonly crc: number
  /** Where its bytes begin, and how many there are in the file. */
  readonly start: number
  readonly stored: number
  /** Bytes when inflated. */
  readonly size: number
}

const endMark = 0x06054b50
const entryMark = 0x02014b50
const localMark = 0x04034b50
const descriptorMark = 0x08074b50
const inZip64 = 0xffffffff
/** Bits of the flags: encrypted, sizes behind the data, the name is UTF-8. */
const flags = { encrypted: 1, descriptor: 8, patched: 0x20, strongly: 0x40, utf8: 0x800 } as const
/** The newest version of the format that is known, 6.3. */
const version = 63

type Refuse = (why: string) => never

/**
 * The members in the directory of a zip file. What the format says twice has to agree: the counts, the directory's size,
 * and for each member its name, method, checksum and sizes; and members, directory and end fill the file, so that none is
 * left out by a changed number.
 *
 * Source    PKWARE APPNOTE 6.3, sections 4.3.7 (a member's header), 4.3.9 (sizes behind it), 4.3.12 (directory), 4.3.16 (its
 *           end), 4.5.3 (sizes of 64 bits, which NumPy writes into members' headers however small they are)
 */
export function zipMembers(op: string, bytes: Uint8Array): ZipMember[] {
  const refuse: Refuse = (why) => {
    throw new RangeError(`${op}: not a zip file that can be read [${why}]`)
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const end = endOfDirectory(view)
  if (end < 0) return refuse('no directory')
  const [disk, startDisk, onDisk, count] = [4, 6, 8, 10].map((offset) => view.getUint16(end + offset, true))
  const size = view.getUint32(end + 12, true)
  let at = view.getUint32(end + 16, true)
  if (count === 0xffff || at === inZip64 || size === inZip64) return refuse('zip64')
  if (disk !== 0 || startDisk !== 0 || onDisk !== count) return refuse(`counts ${onDisk} and ${count} differ`)
  if (at + size !== end) {
    return refuse(`a directory of ${size} bytes at ${at} does not reach to its end at ${end}`)
  }
  const directory = at
  const found: (ZipMember & { readonly from: number; readonly to: number })[] = []
  for (let i = 0; i < count!; i++) {
    if (at + 46 > end || view.getUint32(at, true) !== entryMark) return refuse(`no entry ${i} of ${count}`)
    const [nameBytes, extra, comment] = [28, 30, 32].map((offset) => view.getUint16(at + offset, true))
    const next = at + 46 + nameBytes! + extra! + comment!
    if (next > end) return refuse(`no entry ${i} of ${count}`)
    found.push(memberOf(refuse, view, at, directory))
    at = next
  }
  if (at !== end) return refuse(`more in the directory than its ${count} entries`)
  checkCover(refuse, found, directory)
  return found.map(({ from: _, to: __, ...member }) => member)
}

/** Where the end of the directory begins, which a comment may follow; -1 where there is none. */
function endOfDirectory(view: DataView): number {
  const last = view.byteLength - 22
  for (let end = last; end >= Math.max(0, last - 65_535); end--) {
    if (view.getUint32(end, true) === endMark && view.getUint16(end + 20, true) === last - end) return end
  }
  return -1
}

/** The member of a directory entry, compared with its own header; and from where to where it takes the file. */
function memberOf(
  refuse: Refuse,
  view: DataView,
  entry: number,
  directory: number,
): ZipMember & { readonly from: number; readonly to: number } {
  const flag = view.getUint16(entry + 8, true)
  const method = view.getUint16(entry + 10, true)
  const [crc, stored, size] = [16, 20, 24].map((offset) => view.getUint32(entry + offset, true)) as [
    number,
    number,
    number,
  ]
  const from = view.getUint32(entry + 42, true)
  const nameBytes = bytesAt(view, entry + 46, view.getUint16(entry + 28, true))
  const name = nameOf(refuse, nameBytes, flag)
  const differs = (what: string): never =>
    refuse(`the ${what} of ${name.slice(0, 50)} in the directory and before it differ`)
  if ((flag & (flags.encrypted | flags.strongly)) !== 0) return refuse('encrypted')
  if ((flag & flags.patched) !== 0) return refuse('patched data')
  const needed = view.getUint8(entry + 6)
  if (needed > version) return refuse(`version ${needed / 10}`)
  if (method !== 0 && method !== 8) return refuse(`unknown compression ${method}`)
  if (stored === inZip64 || size === inZip64 || from === inZip64) return refuse('zip64')
  if (from + 30 > directory || view.getUint32(from, true) !== localMark) {
    return refuse(`no member at ${from}, ${name.slice(0, 50)}`)
  }
  const [localName, extra] = [26, 28].map((offset) => view.getUint16(from + offset, true)) as [number, number]
  const start = from + 30 + localName + extra
  if (start + stored > directory) return refuse(`${name.slice(0, 50)} reaches past ${directory}`)
  if (!same(bytesAt(view, from + 30, localName), nameBytes)) differs('name')
  if (view.getUint16(from + 6, true) !== flag || view.getUint16(from + 8, true) !== method) differs('method')
  const local = localSizes(view, from, bytesAt(view, from + 30 + localName, extra))
  const behind = (flag & flags.descriptor) !== 0
  const empty = local.crc === 0 && local.stored === 0 && local.size === 0
  if (!(behind && empty) && (local.crc !== crc || local.stored !== stored || local.size !== size)) {
    differs('sizes')
  }
  const to = start + stored + (behind ? descriptorBytes(view, start + stored, directory, crc) : 0)
  return { name, method: method === 0 ? 'stored' : 'deflated', crc, start, stored, size, from, to }
}

/** What a member's own header says; sizes of 64 bits stand in its extra field of number 1, the inflated one first. */
function localSizes(
  view: DataView,
  from: number,
  extra: Uint8Array,
): { crc: number; stored: number; size: number } {
  const [crc, stored, size] = [14, 18, 22].map((offset) => view.getUint32(from + offset, true)) as [
    number,
    number,
    number,
  ]
  const fields = new DataView(extra.buffer, extra.byteOffset, extra.length)
  for (let at = 0; at + 4 <= extra.length; at += 4 + fields.getUint16(at + 2, true)) {
    if (fields.getUint16(at, true) !== 1 || at + 20 > extra.length) continue
    const long = (offset: number): number => Number(fields.getBigUint64(at + 4 + offset, true))
    return { crc, stored: stored === inZip64 ? long(8) : stored, size: size === inZip64 ? long(0) : size }
  }
  return { crc, stored, size }
}

/** The bytes of the sizes behind a member's data: with or without a mark, of 32 or 64 bits. */
function descriptorBytes(view: DataView, at: number, directory: number, crc: number): number {
  const marked = at + 4 <= directory && view.getUint32(at, true) === descriptorMark ? 4 : 0
  if (at + marked + 12 > directory || view.getUint32(at + marked, true) !== crc) return 0
  const next = (n: number): boolean =>
    at + marked + n === directory ||
    (at + marked + n + 4 <= directory && view.getUint32(at + marked + n, true) === localMark)
  return marked + (next(12) ? 12 : 20)
}

function nameOf(refuse: Refuse, bytes: Uint8Array, flag: number): string {
  if (bytes.includes(0)) return refuse('a name with a zero byte')
  if ((flag & flags.utf8) === 0 && bytes.some((byte) => byte > 127)) {
    return refuse('a name that is neither ASCII nor marked as UTF-8')
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return refuse('a name that is not UTF-8')
  }
}

/** Whether the members lie one behind the other from the file's beginning to the directory. */
function checkCover(
  refuse: Refuse,
  members: readonly (ZipMember & { readonly from: number; readonly to: number })[],
  directory: number,
): void {
  let at = 0
  for (const { name, from, to } of [...members].sort((a, b) => a.from - b.from)) {
    if (from < at) refuse(`members overlap, ${name.slice(0, 50)}`)
    if (from > at) refuse(`bytes of no member at ${at}, before ${name.slice(0, 50)}`)
    at = to
  }
  if (at !== directory) refuse(`bytes of no member at ${at}, before the directory`)
}

const bytesAt = (view: DataView, at: number, n: number): Uint8Array =>
  new Uint8Array(view.buffer, view.byteOffset + at, n)

const same = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, i) => byte === b[i])
