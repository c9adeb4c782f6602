import { readFileSync } from 'node:fs'
import { crc32, inflateRawSync } from 'node:zlib'
import { type Zippable, zipSync } from 'fflate'
import { checkOptions, checkPath, checkRecord, type OptionTable } from '../../../base/options/index.js'
import { checkTensor, type DType, type Tensor } from '../../../tensors/tensor/index.js'
import { writeFileAtomic } from '../atomic/writeFileAtomic.js'
import { checkBytes, checkIntegers, decodeNamed } from '../decodeNpy.js'
import { encodeNpy } from '../encodeNpy.js'
import type { BigIntegers, Integers } from '../integers.js'
import { type ZipMember, zipMembers } from '../zipMembers.js'

/** How an npz file is written. */
export interface NpzWriteOptions {
  /** Deflated as `numpy.savez_compressed` does, or stored as `numpy.savez` does. Default false. */
  readonly compress?: boolean
}

/** How an npz file is read. */
export interface NpzOptions {
  /** What bytes without a meaning are codes of, by the array's name; see `decodeNpy`. */
  readonly dtypes?: Readonly<Record<string, DType>>
  /** What becomes of integers; see `Integers`. Default 'exact'. */
  readonly integers?: Integers
  /** Only these arrays, such as those beside one that cannot be read. Default all. */
  readonly names?: readonly string[]
}

const writeNames: OptionTable<NpzWriteOptions> = { compress: 'optional' }
const readNames: OptionTable<NpzOptions> = { dtypes: 'optional', integers: 'optional', names: 'optional' }

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
  return zipped('encodeNpz', tensors, options)
}

function zipped(op: string, tensors: Readonly<Record<string, Tensor>>, options: NpzWriteOptions): Uint8Array {
  checkOptions(op, options, writeNames)
  checkRoom(op, tensors)
  const level = options.compress ? 6 : 0
  // 1 January 1980, the earliest that zip can say, as in NumPy's files.
  const member = { level, mtime: new Date(1980, 0, 1) } as const
  const files: Zippable = Object.create(null)
  for (const [name, x] of Object.entries(tensors)) files[`${name}.npy`] = [encodeNpy(x), member]
  return zipSync(files)
}

/** Throws where a zip file without 64-bit numbers has no room. */
function checkRoom(op: string, tensors: Readonly<Record<string, Tensor>>): void {
  checkRecord(op, 'tensors', tensors)
  const entries = Object.entries(tensors)
  if (entries.length >= 0xffff) {
    throw new RangeError(`${op}: more arrays than a zip file can list, 65,534 [${entries.length}]`)
  }
  let bytes = 0
  for (const [name, x] of entries) {
    checkTensor(op, x)
    const nameBytes = Buffer.byteLength(name)
    if (nameBytes > 65_000) throw new RangeError(`${op}: a name longer than 65,000 bytes [${nameBytes}]`)
    bytes += x.data.byteLength + 2 * nameBytes + 10_500
  }
  if (bytes >= 2 ** 32) {
    throw new RangeError(`${op}: more than a zip file holds, 4 GiB; safetensors has no limit [${bytes}]`)
  }
}

/** Writes named tensors as an npz file, as `encodeNpz` lays it out and as `writeFileAtomic` writes. */
export function writeNpz(
  path: string | URL,
  tensors: Readonly<Record<string, Tensor>>,
  options: NpzWriteOptions = {},
): void {
  checkPath('writeNpz', path)
  writeFileAtomic(path, zipped('writeNpz', tensors, options))
}

/**
 * The tensors in the bytes of an npz file by name, in the order of the file.
 *
 * Dtype     as `decodeNpy` reads them.
 * Throws    TypeError for an array of a dtype that is none of ours, by its name; `names` reads the others. RangeError that
 *           says why: what is no zip, or says different things in its directory and elsewhere
 *           (counts, names, sizes, checksums), or has bytes that belong to no array; members that are no npy, have one name
 *           twice, or claim to inflate more than deflate can.
 * Cost      linear in the bytes.
 */
export function decodeNpz(
  bytes: Uint8Array,
  options: NpzOptions & { readonly integers: 'bigint' },
): Readonly<Record<string, Tensor | BigIntegers>>
export function decodeNpz(
  bytes: Uint8Array,
  options?: NpzOptions & { readonly integers?: 'exact' | 'same' },
): Readonly<Record<string, Tensor>>
export function decodeNpz(
  bytes: Uint8Array,
  options: NpzOptions = {},
): Readonly<Record<string, Tensor | BigIntegers>> {
  checkOptions('decodeNpz', options, readNames)
  checkBytes('decodeNpz', bytes)
  return tensorsOf('decodeNpz', bytes, options)
}

/**
 * The tensors of an npz file, as `decodeNpz` reads them; the whole file is read.
 *
 * Throws    as `decodeNpz`.
 */
export function readNpz(
  path: string | URL,
  options: NpzOptions & { readonly integers: 'bigint' },
): Readonly<Record<string, Tensor | BigIntegers>>
export function readNpz(
  path: string | URL,
  options?: NpzOptions & { readonly integers?: 'exact' | 'same' },
): Readonly<Record<string, Tensor>>
export function readNpz(
  path: string | URL,
  options: NpzOptions = {},
): Readonly<Record<string, Tensor | BigIntegers>> {
  checkPath('readNpz', path)
  checkOptions('readNpz', options, readNames)
  return tensorsOf('readNpz', new Uint8Array(readFileSync(path)), options)
}

function tensorsOf(
  op: string,
  bytes: Uint8Array,
  { dtypes = {}, integers: asked, names: chosen }: NpzOptions,
): Record<string, Tensor | BigIntegers> {
  const integers = checkIntegers(op, asked)
  const members = zipMembers(op, bytes)
  const names = new Set<string>()
  for (const member of members) {
    if (!member.name.endsWith('.npy')) throw new RangeError(`${op}: not an npy file [${shown(member)}]`)
    if (names.has(member.name)) throw new RangeError(`${op}: a name stands twice [${shown(member)}]`)
    if (member.size > maxInflation * member.stored + 64) {
      throw new RangeError(
        `${op}: claims more bytes than deflate can hold [${shown(member)}: ${member.size}]`,
      )
    }
    names.add(member.name)
  }
  const strange = [...Object.keys(dtypes), ...(chosen ?? [])].find((name) => !names.has(`${name}.npy`))
  if (strange !== undefined) throw new RangeError(`${op}: no array of this name [${strange.slice(0, 50)}]`)
  const wanted = chosen && new Set(chosen.map((name) => `${name}.npy`))
  const read = wanted ? members.filter(({ name }) => wanted.has(name)) : members
  return Object.fromEntries(
    read.map((member) => {
      const name = member.name.slice(0, -4)
      const dtype = Object.hasOwn(dtypes, name) ? dtypes[name] : undefined
      return [
        name,
        decodeNamed(`${op}: ${name.slice(0, 50)}`, 'the array', unzipped(op, bytes, member), dtype, integers),
      ]
    }),
  )
}

function unzipped(op: string, bytes: Uint8Array, member: ZipMember): Uint8Array {
  const { method, start, stored, size, crc } = member
  const packed = bytes.subarray(start, start + stored)
  const content = method === 'stored' ? packed : inflated(op, packed, member)
  if (content.length !== size || crc32(content) !== crc) {
    throw new RangeError(`${op}: the checksum differs [${shown(member)}]`)
  }
  return content
}

/** Never more bytes than the member claims. */
function inflated(op: string, packed: Uint8Array, member: ZipMember): Uint8Array {
  const refuse = (why: string): never => {
    throw new RangeError(`${op}: cannot be inflated [${shown(member)}: ${why}]`)
  }
  try {
    // With `info` the result also says how far the packed bytes were read; the types do not know it.
    const result: unknown = inflateRawSync(packed, { info: true, maxOutputLength: Math.max(member.size, 1) })
    const { buffer, engine } = result as { buffer: Buffer; engine: { bytesWritten: number } }
    return engine.bytesWritten === packed.length ? buffer : refuse('bytes behind its end')
  } catch (error) {
    if (error instanceof RangeError && error.message.startsWith(op)) throw error
    return refuse(error instanceof Error ? error.message : String(error))
  }
}

function shown({ name }: ZipMember): string {
  return name.slice(0, 50)
}
