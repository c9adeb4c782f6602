import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { type JoinOptions, joinHosts } from 'tpu-toolkit/hosts'
import { afterEach, describe, expect, it } from 'vitest'
import { channel } from '../../src/training/hosts/channel.js'
import { greet } from '../../src/training/hosts/greeting.js'

const open: { close(): Promise<void> }[] = []
const children: ChildProcess[] = []
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  await Promise.all(open.splice(0).map((group) => group.close()))
})

describe('strangers', () => {
  const frame = (head: string, body = 0): Buffer => {
    const bytes = Buffer.alloc(8 + head.length)
    bytes.writeUInt32LE(head.length, 0)
    bytes.writeUInt32LE(body, 4)
    bytes.write(head, 8)
    return bytes
  }
  const secret = 'a secret of the run'
  /** Two hosts, the second of which joins after `before` has had its way with the coordinator. */
  const joinedAfter = async (before: (port: number) => Promise<void>, more: Partial<JoinOptions> = {}) => {
    let tell: (address: string) => void = () => {}
    const address = new Promise<string>((resolve) => {
      tell = resolve
    })
    const shared = { hosts: 2, timeout: 20_000, ...more }
    const first = joinHosts({ coordinator: '127.0.0.1:0', host: 0, onAddress: tell, ...shared })
    const coordinator = await address
    await before(Number(coordinator.split(':')[1]))
    const group = await Promise.all([first, joinHosts({ coordinator, host: 1, ...shared })])
    open.push(...group)
    expect(await Promise.all(group.map((one) => one.allGather('n', `${one.host}`)))).toEqual([
      ['0', '1'],
      ['0', '1'],
    ])
  }
  const ended = async (port: number, bytes: Buffer): Promise<void> => {
    const socket = connect({ port, host: '127.0.0.1' }).resume()
    socket.on('error', () => {}).write(bytes)
    await once(socket, 'close')
  }

  it.each([
    '{"join":{"toString":1,"valueOf":1},"hosts":2,"host":1,"peer":"127.0.0.1:9"}',
    '{"join":1,"hosts":{"toString":1},"host":1,"peer":"127.0.0.1:9"}',
    '{"join":1,"hosts":2,"host":{"toString":1,"valueOf":1},"peer":"127.0.0.1:9"}',
    '{"join":1,"hosts":2,"host":1,"peer":{"toString":1,"valueOf":1}}',
    '{"join":1,"hosts":2,"host":1}',
    '[]',
    'null',
  ])('the frame %s ends its connection and nothing else', (head) =>
    joinedAfter((port) => ended(port, frame(head))),
  )

  it('may send 64 KiB in a frame, no more', async () => {
    await joinedAfter((port) => ended(port, frame('{}', 600 * 2 ** 20)))
    await joinedAfter((port) => ended(port, frame('{}', 2 ** 16)), { secret })
  })

  it('without the secret are refused, and learn nothing of the run', async () => {
    await joinedAfter(
      async (port) => {
        const more = { coordinator: `127.0.0.1:${port}`, hosts: 2, host: 1, timeout: 20_000 }
        await expect(joinHosts(more)).rejects.toThrow('joinHosts: the coordinator asks for a secret [none]')
        await expect(joinHosts({ ...more, secret: `${secret}?` })).rejects.toThrow(
          'joinHosts: this process does not know the secret of the run',
        )
        const join = { join: 1, hosts: 2, host: 1, peer: '127.0.0.1:9' }
        for (const proof of ['', 'x'.repeat(64), {}]) {
          await ended(port, frame(JSON.stringify({ ...join, proof })))
        }
      },
      { secret },
    )
  })

  it('that say nothing are cut off', async () => {
    const server = createServer((socket) => greet(channel(socket), undefined, () => {}, 100))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const socket = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' })
    socket.on('error', () => {}).write(frame('{"j').subarray(0, 9))
    await once(socket, 'close')
    server.close()
  })

  it('that stay connected keep no process alive that has closed its group', async () => {
    const dist = new URL('../../dist/training/hosts/index.js', import.meta.url).href
    const program = `import { joinHosts } from '${dist}'
let tell
const address = new Promise((resolve) => { tell = resolve })
const first = joinHosts({ coordinator: '127.0.0.1:0', hosts: 2, host: 0, onAddress: tell })
console.log(await address)
await new Promise((resolve) => process.stdin.once('data', resolve))
process.stdin.destroy()
const group = await Promise.all([first, joinHosts({ coordinator: await address, hosts: 2, host: 1 })])
await Promise.all(group.map((one) => one.close()))
console.log('closed')`
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    children.push(child)
    const [said] = (await once(child.stdout, 'data')) as [Buffer]
    // It answers no end of the connection.
    const port = Number(said.toString().trim().split(':')[1])
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    socket.on('error', () => {})
    await once(socket, 'connect')
    child.stdin.write('go')
    const late = setTimeout(() => child.kill('SIGKILL'), 20_000)
    expect(await once(child, 'exit')).toEqual([0, null])
    clearTimeout(late)
    socket.destroy()
  })
})

describe('joinHosts', () => {
  it.each([
    [
      { coordinator: '10.0.0.1:8476' },
      'addresses that other machines reach need a secret [10.0.0.1, 10.0.0.1]',
    ],
    [{ bind: '0.0.0.0' }, 'addresses that other machines reach need a secret [127.0.0.1, 0.0.0.0]'],
    [{ secret: 'short' }, 'secret has fewer than 16 characters [5]'],
  ])('refuses %o', async (options, message) => {
    await expect(joinHosts({ coordinator: '127.0.0.1:0', hosts: 1, host: 0, ...options })).rejects.toThrow(
      new RangeError(`joinHosts: ${message}`),
    )
  })
})
