import { FlatBuffer, type FlatTable, type Refuse } from './flatBuffer.js'

/** A stretch of a body: of it a column's validity, its offsets, or its values. */
export interface Stretch {
  readonly offset: number
  readonly length: number
}

/** Rows as they lie in a body. */
export interface ArrowBatch {
  readonly length: number
  /** For each column and part of one, in the schema's order, how many values and how many of them are missing. */
  readonly nodes: readonly { readonly length: number; readonly nulls: number }[]
  readonly buffers: readonly Stretch[]
  /** How many buffers of long values each column of views has. */
  readonly viewBuffers: readonly number[]
  readonly body: Uint8Array
  /** The dictionary that the rows are of; undefined for rows of the table. */
  readonly dictionary: { readonly id: number; readonly isDelta: boolean } | undefined
}

/** What a file or a stream is made of. */
export interface ArrowMessages {
  readonly schema: FlatTable
  readonly batches: readonly ArrowBatch[]
}

const magic = Buffer.from('ARROW1', 'latin1')
const kinds = { schema: 1, dictionary: 2, records: 3 } as const

/**
 * The messages of a file (dictionaries first, as its end lists them) or of a stream, each within the bytes.
 *
 * Source    https://arrow.apache.org/docs/format/Columnar.html#serialization-and-interprocess-communication-ipc
 */
export function arrowMessages(bytes: Uint8Array, refuse: Refuse): ArrowMessages {
  const isFile = bytes.length >= 8 && magic.equals(bytes.subarray(0, 6))
  return isFile ? messagesOfFile(bytes, refuse) : messagesOfStream(bytes, refuse)
}

interface Message {
  readonly kind: number
  readonly header: FlatTable
  readonly body: Uint8Array
  /** Where the next one begins. */
  readonly end: number
}

/** The message at a place; undefined where the end of a stream is said there, or the bytes end. */
function messageAt(bytes: Uint8Array, start: number, refuse: Refuse): Message | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  let at = start
  const word = (): number => {
    if (at + 4 > bytes.length) return refuse(`cut off at ${at}`)
    at += 4
    return view.getInt32(at - 4, true)
  }
  let length = word()
  // Before version 0.15 no mark stood before the length.
  if (length === -1) length = word()
  if (length === 0) return undefined
  if (length < 0 || at + length > bytes.length) return refuse(`a message of ${length} bytes at ${at}`)
  const message = new FlatBuffer(bytes.subarray(at, at + length), refuse).root()
  const version = message.int16(0, 0)
  if (version !== 3 && version !== 4) return refuse(`metadata of version ${version + 1}`)
  message.checkPairs(4)
  const header = message.table(2)
  if (header === undefined) return refuse('a message without a header')
  const bodyBytes = message.int64(3, 0)
  at += length
  if (bodyBytes < 0 || at + bodyBytes > bytes.length) return refuse(`a body of ${bodyBytes} bytes at ${at}`)
  const body = bytes.subarray(at, at + bodyBytes)
  return { kind: message.uint8(1, 0), header, body, end: at + bodyBytes }
}

function messagesOfStream(bytes: Uint8Array, refuse: Refuse): ArrowMessages {
  let at = 0
  let schema: FlatTable | undefined
  const batches: ArrowBatch[] = []
  while (at < bytes.length) {
    const message = messageAt(bytes, at, refuse)
    if (message === undefined) {
      const rest = bytes.subarray(at)
      const ending =
        rest.length >= 4 && new DataView(rest.buffer, rest.byteOffset).getInt32(0, true) === -1 ? 8 : 4
      if (rest.length > ending) return refuse(`bytes behind the end of the stream at ${at + ending}`)
      break
    }
    if (message.kind === kinds.schema) {
      if (schema) return refuse('a second schema')
      schema = message.header
    } else if (schema) {
      batches.push(batchOf(message, refuse))
    }
    at = message.end
  }
  return schema ? { schema, batches } : refuse('no schema')
}

function messagesOfFile(bytes: Uint8Array, refuse: Refuse): ArrowMessages {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const tail = bytes.length - 10
  if (tail < 8 || !magic.equals(bytes.subarray(tail + 4))) return refuse('cut off, no magic at its end')
  const length = view.getInt32(tail, true)
  const end = tail - length
  if (length <= 0 || end < 8) return refuse(`a footer of ${length} bytes`)
  const footer = new FlatBuffer(bytes.subarray(end, tail), refuse).root()
  footer.checkPairs(4)
  const version = footer.int16(0, 0)
  if (version !== 3 && version !== 4) return refuse(`metadata of version ${version + 1}`)
  const schema = footer.table(1)
  if (schema === undefined) return refuse('no schema')
  const places: Stretch[] = []
  const read = (field: number, kind: number): ArrowBatch[] =>
    footer.elements(field, 24).map((at) => {
      const offset = footer.buffer.int64(at)
      const metadata = footer.buffer.int32(at + 8)
      const body = footer.buffer.int64(at + 16)
      if (offset < 8 || offset % 8 !== 0 || metadata < 0 || body < 0 || offset + metadata + body > end) {
        return refuse(`a block of ${metadata} and ${body} bytes at ${offset}`)
      }
      const message = messageAt(bytes.subarray(0, end), offset, refuse)
      if (
        message?.kind !== kind ||
        message.body.length !== body ||
        message.end !== offset + metadata + body
      ) {
        return refuse(`another block at ${offset} than is listed`)
      }
      places.push({ offset, length: metadata + body })
      return batchOf(message, refuse)
    })
  const batches = [...read(2, kinds.dictionary), ...read(3, kinds.records)]
  places.sort((a, b) => a.offset - b.offset)
  places.forEach(({ offset, length: taken }, i) => {
    if (offset + taken > (places[i + 1]?.offset ?? end)) refuse(`blocks overlap at ${offset}`)
  })
  return { schema, batches }
}

function batchOf({ kind, header, body }: Message, refuse: Refuse): ArrowBatch {
  if (kind === kinds.records) return { ...rowsOf(header, body, refuse), dictionary: undefined }
  if (kind !== kinds.dictionary) return refuse(`a message of kind ${kind}`)
  const data = header.table(1)
  if (data === undefined) return refuse('a dictionary without data')
  const dictionary = { id: header.int64(0, 0), isDelta: header.uint8(2, 0) !== 0 }
  return { ...rowsOf(data, body, refuse), dictionary }
}

function rowsOf(batch: FlatTable, body: Uint8Array, refuse: Refuse): Omit<ArrowBatch, 'dictionary'> {
  if (batch.table(3) !== undefined) return refuse('compressed, write it without compression')
  const { buffer } = batch
  const length = batch.int64(0, 0)
  if (length < 0 || length >= 2 ** 31) return refuse(`a batch of ${length} rows`)
  const nodes = batch.elements(1, 16).map((at) => ({ length: buffer.int64(at), nulls: buffer.int64(at + 8) }))
  const buffers = batch
    .elements(2, 16)
    .map((at) => ({ offset: buffer.int64(at), length: buffer.int64(at + 8) }))
  for (const { offset, length: bytes } of buffers) {
    if (offset < 0 || bytes < 0 || offset % 8 !== 0 || offset + bytes > body.length) {
      refuse(`a buffer of ${bytes} bytes at ${offset} of ${body.length}`)
    }
  }
  return { length, nodes, buffers, viewBuffers: batch.elements(4, 8).map((at) => buffer.int64(at)), body }
}
