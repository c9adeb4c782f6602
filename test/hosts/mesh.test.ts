import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Channel, Frame } from '../../src/training/hosts/frame.js'
import { HostLost, mesh } from '../../src/training/hosts/mesh.js'

/** A channel to host 1 that nobody is behind; `say` is what comes from there. */
function line() {
  let hear: (frame: Frame) => void = () => {}
  const sent: Frame['head'][] = []
  const channel: Channel = {
    address: '',
    send: (head) => sent.push(head),
    onFrame: (next) => {
      hear = next
    },
    onFirst: () => {},
    onClose: () => {},
    trust: () => {},
    end: () => {},
    destroy: () => {},
  }
  return { channel, sent, say: (head: Frame['head']) => hear({ head, body: new Uint8Array(0) }) }
}

describe('mesh', () => {
  let now = 0
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    vi.spyOn(performance, 'now').mockImplementation(() => now)
  })
  afterEach(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
  })

  /** Runs the timer, `late` milliseconds after it was due; it beats every 250. */
  const tick = (late = 0): void => {
    now += 250 + late
    vi.advanceTimersByTime(250)
  }

  it('gives the others their time again where this host itself was away', async () => {
    const { channel, sent } = line()
    const group = mesh(0, new Map([[1, channel]]), 1000)
    const received = group.receive(1, 'x').catch((error: unknown) => error)
    tick()
    tick(5000)
    expect([group.lost, sent]).toEqual([[], [{ beat: true }, { beat: true }]])
    // From then on 1000 of silence, and a timer that is a little late is no absence.
    for (let i = 0; i < 3; i++) tick(80)
    expect(group.lost).toEqual([])
    tick(80)
    expect(group.lost).toEqual([1])
    expect(await received).toEqual(new HostLost('hosts: host 1 is lost, no message for 1 s [host 0]', [1]))
  })

  it('loses nobody who beats', () => {
    const { channel, say } = line()
    const group = mesh(0, new Map([[1, channel]]), 1000)
    for (let i = 0; i < 20; i++) {
      tick(40)
      say({ beat: true })
    }
    expect(group.lost).toEqual([])
  })
})
