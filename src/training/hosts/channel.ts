import type { Socket } from 'node:net'
import type { Channel, Frame } from './frame.js'

/** The most bytes of a record, of a whole frame of a stranger, and of what is held while nobody reads. */
const most = 2 ** 16

/** The most bytes of a body that a host of the run sends. */
const mostBody = 2 ** 31 - 1

/**
 * A socket as a channel. A frame is the length of the record and of the body, 4 bytes each, little-endian; the record as JSON; the
 * body. What is no frame ends the connection, and so does one of more than 64 KiB before `trust`. While nobody reads, the socket waits.
 */
export function channel(socket: Socket): Channel {
  socket.setNoDelay(true)
  let parts: Buffer[] = []
  let held = 0
  let wanted = 8
  let trusted = false
  let hear: ((frame: Frame) => void) | undefined

  const read = (): void => {
    while (hear && held >= wanted && !socket.destroyed) {
      const all = parts.length === 1 ? parts[0]! : Buffer.concat(parts, held)
      parts = [all]
      const [head, body] = [all.readUInt32LE(0), all.readUInt32LE(4)]
      if (head > most || (trusted ? body > mostBody : head + body > most)) {
        socket.destroy()
        return
      }
      wanted = 8 + head + body
      if (held < wanted) break
      const frame = frameOf(all.subarray(8, 8 + head), all.subarray(8 + head, wanted))
      parts = [all.subarray(wanted)]
      held -= wanted
      wanted = 8
      if (frame) hear(frame)
      else socket.destroy()
    }
    if (!hear && held > most) socket.pause()
    else socket.resume()
  }
  socket.on('data', (data: Buffer) => {
    parts.push(data)
    held += data.length
    read()
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
    trust: () => {
      trusted = true
    },
    onFrame: (next) => {
      hear = next
      read()
    },
    onFirst: (first) => {
      hear = (one) => {
        hear = undefined
        first(one)
      }
      read()
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
    if (typeof record !== 'object' || record === null || Array.isArray(record)) return undefined
    // A copy at the beginning of a buffer of its own: elements of 8 bytes can be read there.
    return { head: record as Frame['head'], body: new Uint8Array(body) }
  } catch {
    return undefined
  }
}
