import { readFileSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { unzipSync, type Zippable, zipSync } from 'fflate'
import type { DType, Tensor } from '../tensor/index.js'
import { decodeNamed } from './decodeNpy.js'
import { encodeNpy } from './encodeNpy.js'
import { writeFileAtomic } from './writeFileAtomic.js'
import { type ZipMember, zipMembers } from './zipMembers.js'

/** How an npz file is written. */
export interface NpzWriteOptions {
  /** Deflated as `numpy.savez_compressed` does, or stored as `numpy.savez` does. Default false. */
  readonly compress?: boolean
}

/** How an npz file is read. */
export interface NpzOptions {
  /** What bytes without a meaning are codes of, by the array's name; see `decodeNpy`. */
  readonly dtypes?: Readonly<Record<string, DType>>
}

/** A file may not claim to inflate further than deflate can: 258 bytes of a two-bit code, 1032 to 1. */
const maxInflation = 1032

/**
 * Named tensors as the bytes of an npz file, a zip of npy files; `numpy.load` reads it. Equal tensors give equal bytes.
 *
 * Dtype     as `encodeNpy` stores them.
 *
 * @example Object.keys(decodeNpz(encodeNpz({ a: tensor(1), b: tensor([1]) }))) // ['a', 'b']
 */
export function encodeNpz(
  tensors: Readonly<Record<string, Tensor>>,
  options: NpzWriteOptions = {},
): Uint8Array {
  const level = options.compress ? 6 : 0
  // 1 January 1980, the earliest that zip can say, as in NumPy's files.
  const member = { level, mtime: new Date(1980, 0, 1) } as const
  const files: Zippable = Object.create(null)
  for (const [name, x] of Object.entries(tensors)) files[`${name}.npy`] = [encodeNpy(x), member]
  return zipSync(files)
}

/** Writes named tensors as an npz file, as `encodeNpz` lays it out and as `writeFileAtomic` writes. */
export function writeNpz(
  path: string | URL,
  tensors: Readonly<Record<string, Tensor>>,
  options: NpzWriteOptions = {},
): void {
  writeFileAtomic(path, encodeNpz(tensors, options))
}

/**
 * The tensors in the bytes of an npz file by name, in the order of the file.
 *
 * Dtype     as `decodeNpy` reads them; one array that cannot be read refuses the file.
 * Special   refused, as a RangeError that says why: what is no zip, members that are no npy, have one name twice, a wrong
 *           checksum, or claim to inflate more than deflate can.
 */
export function decodeNpz(bytes: Uint8Array, options: NpzOptions = {}): Readonly<Record<string, Tensor>> {
  return tensorsOf('decodeNpz', bytes, options)
}

/** The tensors of an npz file, as `decodeNpz` reads them; the whole file is read. */
export function readNpz(path: string | URL, options: NpzOptions = {}): Readonly<Record<string, Tensor>> {
  return tensorsOf('readNpz', new Uint8Array(readFileSync(path)), options)
}

function tensorsOf(op: string, bytes: Uint8Array, { dtypes = {} }: NpzOptions): Record<string, Tensor> {
  const members = zipMembers(op, bytes)
  const names = new Set<string>()
  for (const member of members) {
    if (!member.name.endsWith('.npy')) throw new RangeError(`${op}: not an npy file [${shown(member)}]`)
    if (names.has(member.name)) throw new RangeError(`${op}: a name stands twice [${shown(member)}]`)
    if (member.size > maxInflation * member.stored + 64)
      throw new RangeError(
        `${op}: claims more bytes than deflate can hold [${shown(member)}: ${member.size}]`,
      )
    names.add(member.name)
  }
  const strange = Object.keys(dtypes).find((name) => !names.has(`${name}.npy`))
  if (strange !== undefined) throw new RangeError(`${op}: no array of this name [${strange.slice(0, 50)}]`)
  const stored = members.reduce((sum, member) => sum + member.stored, 0)
  if (stored > bytes.length)
    throw new RangeError(`${op}: members overlap [${stored} bytes in ${bytes.length}]`)
  return Object.fromEntries(
    members.map((member) => {
      const name = member.name.slice(0, -4)
      const dtype = Object.hasOwn(dtypes, name) ? dtypes[name] : undefined
      return [
        name,
        decodeNamed(`${op}: ${name.slice(0, 50)}`, 'the array', unzipped(op, bytes, member), dtype),
      ]
    }),
  )
}

function unzipped(op: string, bytes: Uint8Array, member: ZipMember): Uint8Array {
  let content: Uint8Array | undefined
  try {
    const files = unzipSync(bytes, { filter: ({ name }) => name === member.name })
    content = Object.hasOwn(files, member.name) ? files[member.name] : undefined
  } catch (error) {
    throw new RangeError(`${op}: cannot be inflated [${shown(member)}: ${(error as Error).message}]`)
  }
  if (content?.length !== member.size || crc32(content) !== member.crc)
    throw new RangeError(`${op}: the checksum differs [${shown(member)}]`)
  return content
}

function shown({ name }: ZipMember): string {
  return name.slice(0, 50)
}
