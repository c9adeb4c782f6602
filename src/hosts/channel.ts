import type { Socket } from 'node:net'
import type { Channel, Frame } from './frame.js'

/** The most bytes of a record: what is longer is no frame of ours. */
const mostHead = 2 ** 16

/**
 * A socket as a channel. A frame is the length of the record and of the body, 4 bytes each, little-endian; the record as JSON; the
 * body, of at most `mostBody` bytes. What is no frame ends the connection.
 */
export function channel(socket: Socket, mostBody: number = 2 ** 31 - 1): Channel {
  socket.setNoDelay(true)
  let parts: Buffer[] = []
  let held = 0
  let wanted = 8
  let hear: ((frame: Frame) => void) | undefined
  const early: Frame[] = []

  const taken = (): Buffer => (parts.length === 1 ? parts[0]! : Buffer.concat(parts, held))
  const read = (): void => {
    for (let all = taken(); all.length >= 8; ) {
      const [head, body] = [all.readUInt32LE(0), all.readUInt32LE(4)]
      if (head > mostHead || body > mostBody) {
        socket.destroy()
        return
      }
      wanted = 8 + head + body
      if (all.length < wanted) break
      const frame = frameOf(all.subarray(8, 8 + head), all.subarray(8 + head, wanted))
      all = all.subarray(wanted)
      parts = [all]
      held = all.length
      wanted = 8
      if (!frame) {
        socket.destroy()
        return
      }
      if (hear) {
        hear(frame)
      } else {
        early.push(frame)
      }
    }
  }
  socket.on('data', (data: Buffer) => {
    parts.push(data)
    held += data.length
    if (held >= wanted) read()
  })
  // Said by 'close', which follows.
  socket.on('error', () => {})
  return {
    address: `${socket.remoteAddress}:${socket.remotePort}`,
    send: (head, body = new Uint8Array(0)) => {
      if (socket.destroyed) return
      const json = Buffer.from(JSON.stringify(head))
      const lengths = Buffer.alloc(8)
      lengths.writeUInt32LE(json.length, 0)
      lengths.writeUInt32LE(body.length, 4)
      socket.cork()
      socket.write(lengths)
      socket.write(json)
      if (body.length > 0) socket.write(body)
      socket.uncork()
    },
    onFrame: (next) => {
      hear = next
      for (const frame of early.splice(0)) next(frame)
    },
    onFirst: (first) => {
      const frame = early.shift()
      if (frame) {
        first(frame)
        return
      }
      hear = (one) => {
        hear = undefined
        first(one)
      }
    },
    onClose: (gone) => {
      if (socket.destroyed) {
        gone()
      } else {
        socket.once('close', gone)
      }
    },
    end: () => socket.end(),
    destroy: () => socket.destroy(),
  }
}

function frameOf(head: Buffer, body: Buffer): Frame | undefined {
  try {
    const record: unknown = JSON.parse(head.toString())
    if (typeof record !== 'object' || record === null) return undefined
    // A copy at the beginning of a buffer of its own: elements of 8 bytes can be read there.
    return { head: record as Frame['head'], body: new Uint8Array(body) }
  } catch {
    return undefined
  }
}
