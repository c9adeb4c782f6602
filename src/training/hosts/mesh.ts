import type { Channel, Frame } from './frame.js'

/** The connections of a host to all others. */
export interface Mesh {
  readonly host: number
  readonly hosts: number
  /** Hosts that are gone without a word, and those that others say are. */
  readonly lost: readonly number[]
  /** Sends bytes to a host under a tag; one that is gone gets nothing. */
  send(to: number, tag: string, body: Uint8Array): void
  /** The bytes that a host sent, or will send, under a tag. */
  receive(from: number, tag: string): Promise<Uint8Array>
  close(): Promise<void>
}

/** Hosts are lost. The message says which, and how that is known. */
export class HostLost extends Error {
  readonly lost: readonly number[]
  constructor(message: string, lost: readonly number[]) {
    super(message)
    this.name = 'HostLost'
    this.lost = lost
  }
}

interface Waiting {
  readonly from: number
  readonly resolve: (body: Uint8Array) => void
  readonly reject: (error: Error) => void
}

/**
 * The others by their channels. A connection that ends without a goodbye is a host that is lost; so is one that says nothing for
 * `heartbeatTimeout`. Then everything that is waited for fails, on all hosts.
 */
export function mesh(host: number, channels: ReadonlyMap<number, Channel>, heartbeatTimeout: number): Mesh {
  const hosts = channels.size + 1
  const lost = new Set<number>()
  const left = new Set<number>()
  const mail = new Map<string, Uint8Array[]>()
  const waiting = new Map<string, Waiting>()
  const heard = new Map([...channels.keys()].map((other) => [other, performance.now()]))
  let failure: Error | undefined
  let closed = false

  const fail = (error: Error): void => {
    failure ??= error
    for (const { reject } of waiting.values()) reject(failure)
    waiting.clear()
  }
  const lose = (other: number, how: string): void => {
    if (closed || lost.has(other) || other === host) return
    lost.add(other)
    for (const [to, line] of channels) if (to !== other) line.send({ lost: other })
    channels.get(other)?.destroy()
    fail(new HostLost(`hosts: host ${other} is lost, ${how} [host ${host}]`, [...lost]))
  }
  const leave = (other: number): void => {
    left.add(other)
    for (const [key, { from, reject }] of waiting) {
      if (from !== other) continue
      waiting.delete(key)
      reject(gone(other))
    }
  }
  const gone = (other: number): Error => new Error(`hosts: host ${other} has left [host ${host}]`)
  const take = (other: number, { head, body }: Frame): void => {
    heard.set(other, performance.now())
    const gone = head['lost']
    if (typeof gone === 'number' && channels.has(gone)) lose(gone, `says host ${other}`)
    else if (head['bye'] === true) leave(other)
    else if (typeof head['tag'] === 'string') deliver(`${other} ${head['tag']}`, body)
  }
  const deliver = (key: string, body: Uint8Array): void => {
    const one = waiting.get(key)
    if (one) {
      waiting.delete(key)
      one.resolve(body)
      return
    }
    const box = mail.get(key)
    if (box) {
      box.push(body)
    } else {
      mail.set(key, [body])
    }
  }
  for (const [other, line] of channels) {
    line.onFrame((frame) => take(other, frame))
    line.onClose(() => {
      if (!left.has(other)) lose(other, 'its connection ended')
    })
  }

  // A host that computes for long neither beats nor hears: who was not there itself gives the others their time again.
  const interval = heartbeatTimeout / 4
  let beat = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    const wasAway = now - beat > 2 * interval
    beat = now
    for (const [other, line] of channels) {
      if (lost.has(other) || left.has(other)) continue
      line.send({ beat: true })
      if (wasAway) heard.set(other, now)
      if (now - heard.get(other)! > heartbeatTimeout) {
        lose(other, `no message for ${heartbeatTimeout / 1000} s`)
      }
    }
  }, interval)
  timer.unref()

  return {
    host,
    hosts,
    get lost() {
      return [...lost].sort((a, b) => a - b)
    },
    send: (to, tag, body) => channels.get(to)?.send({ tag }, body),
    receive: (from, tag) => {
      const key = `${from} ${tag}`
      const box = mail.get(key)
      const first = box?.shift()
      if (box?.length === 0) mail.delete(key)
      if (first) return Promise.resolve(first)
      if (failure) return Promise.reject(failure)
      if (left.has(from)) return Promise.reject(gone(from))
      if (closed) return Promise.reject(new Error(`hosts: this host has left [host ${host}]`))
      return new Promise((resolve, reject) => waiting.set(key, { from, resolve, reject }))
    },
    close: async () => {
      if (closed) return
      closed = true
      clearInterval(timer)
      const ends = [...channels.values()].map((line) => {
        line.send({ bye: true })
        line.end()
        return new Promise<void>((resolve) => line.onClose(resolve))
      })
      // One that does not answer is not waited for.
      const late = new Promise<void>((resolve) => setTimeout(resolve, heartbeatTimeout).unref())
      await Promise.race([Promise.all(ends), late])
      for (const line of channels.values()) line.destroy()
      fail(new Error(`hosts: this host has left [host ${host}]`))
    },
  }
}
