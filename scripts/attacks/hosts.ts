import { connect, type Socket } from 'node:net'
import type { SeededStream } from 'tpu-toolkit/random'
import { noise, odd, pick, send, untilOver, victim } from './victim.js'

const program = `import { joinHosts } from 'tpu-toolkit/hosts'
const secret = 'known to both of them'
let tell
const address = new Promise((resolve) => { tell = resolve })
const shared = { hosts: 2, timeout: 600_000, ...(process.argv[1] === 'secret' ? { secret } : {}) }
const first = joinHosts({ coordinator: '127.0.0.1:0', host: 0, onAddress: tell, ...shared })
console.log(await address)
${untilOver}
const group = await Promise.all([first, joinHosts({ coordinator: await address, host: 1, ...shared })])
console.log(JSON.stringify(await Promise.all(group.map((one) => one.allGather('n', String(one.host))))))
await Promise.all(group.map((one) => one.close()))
console.log(Math.round(process.memoryUsage.rss() / 2 ** 20))`

/** Two hosts, with a secret and without, join while strangers send frames, noise and promises of long frames, and some stay connected. */
export async function attackHosts(random: SeededStream, attempts: number): Promise<string> {
  const sizes: string[] = []
  for (const kind of ['none', 'secret']) {
    const { line, finish } = await victim(program, [kind])
    const port = Number(line.split(':')[1])
    const idle: Socket[] = []
    const names = [
      'join',
      'hosts',
      'host',
      'peer',
      'nonce',
      'proof',
      'token',
      'connected',
      'lost',
      'bye',
      'roster',
    ]
    for (let i = 0; i < attempts; i++) {
      const head = Object.fromEntries(names.filter(() => random() < 0.6).map((name) => [name, odd(random)]))
      const near = {
        join: 1,
        hosts: 2,
        peer: 'x',
        ...head,
        host: pick(random, [-1, 0.5, 2, 1e9, null, odd(random)]),
      }
      const json = Buffer.from(JSON.stringify(pick(random, [head, near, odd(random)])) ?? 'null')
      const lengths = Buffer.alloc(8)
      lengths.writeUInt32LE(random() < 0.2 ? 2 ** 32 - 1 : json.length, 0)
      lengths.writeUInt32LE(random() < 0.2 ? 600 * 2 ** 20 : 0, 4)
      const frame = Buffer.concat([lengths, json, random() < 0.1 ? Buffer.alloc(2 ** 20) : Buffer.alloc(0)])
      await send(port, random() < 0.3 ? noise(random) : frame, 20)
      if (idle.length < 50 && random() < 0.3) {
        const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
        socket.on('error', () => {}).write(frame.subarray(0, Math.floor(random() * frame.length)))
        idle.push(socket)
      }
    }
    const [gathered, megabytes] = (await finish()).split('\n')
    for (const socket of idle) socket.destroy()
    if (gathered !== '[["0","1"],["0","1"]]') {
      throw new Error(`hosts: they gathered something else [${gathered}]`)
    }
    if (Number(megabytes) > 400) throw new Error(`hosts: they took ${megabytes} MB`)
    sizes.push(`${megabytes} MB`)
  }
  return `joined after ${2 * attempts} attempts, ${sizes.join(', ')}`
}
