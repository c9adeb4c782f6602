import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { type AllReduceOptions, allReduce } from 'tpu-toolkit/collectives'
import { HostLost, type Hosts, type JoinOptions, joinHosts } from 'tpu-toolkit/hosts'
import { foldIn, key, normal } from 'tpu-toolkit/random'
import { cast, type DType, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { pathsOf, type Treelike } from 'tpu-toolkit/tree'
import { afterEach, describe, expect, it } from 'vitest'

const open: { close(): Promise<void> }[] = []
const children: ChildProcess[] = []
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  await Promise.all(open.splice(0).map((group) => group.close()))
})

/** Hosts that are all in this process: over TCP all the same. */
async function groupOf(hosts: number, more: Partial<JoinOptions> = {}): Promise<Hosts[]> {
  let told: (address: string) => void = () => {}
  const address = new Promise<string>((resolve) => {
    told = resolve
  })
  const join = async (host: number): Promise<Hosts> => {
    const coordinator = host === 0 ? '127.0.0.1:0' : await address
    return joinHosts({
      coordinator,
      hosts,
      host,
      timeout: 20_000,
      ...(host === 0 ? { onAddress: told } : {}),
      ...more,
    })
  }
  const all = await Promise.all(Array.from({ length: hosts }, (_, host) => join(host)))
  open.push(...all)
  return all
}

const bitsOf = (tree: Treelike): unknown =>
  pathsOf(tree).map(({ path, leaf }) => [path, leaf.shape, [...leaf.toBits()].map(String)])

/** What a host brings: sizes that the number of hosts does not divide, none, and one element. */
const brought = (host: number, dtype: DType): Record<string, Tensor> => {
  const draw = (name: number, n: number): Tensor =>
    cast(tensor(normal(foldIn(foldIn(key(11), host), name), n)), dtype)
  return { a: draw(0, 37), b: draw(1, 1), c: draw(2, 0), d: draw(3, 2) }
}

describe('allReduce of hosts', () => {
  const cases: readonly AllReduceOptions[] = [
    { order: 'ring' },
    { order: 'ring', op: 'mean' },
    { order: 'ring', accumulate: 'float32' },
    { order: 'tree' },
    { order: 'tree', op: 'mean', accumulate: 'float32' },
    { order: 'all-to-all' },
    { order: 'all-to-all', op: 'mean' },
  ]
  it.each([1, 2, 3, 4, 5])(
    'over %i hosts has the bits of collectives.allReduce, in every order and dtype',
    async (n) => {
      const hosts = await groupOf(n)
      for (const dtype of ['bfloat16', 'float32', 'float8_e4m3fn', 'float64'] as const) {
        for (const options of cases) {
          const expected = bitsOf(
            allReduce(
              Array.from({ length: n }, (_, host) => brought(host, dtype)),
              options,
            ),
          )
          const reduced = await Promise.all(
            hosts.map((group) => group.allReduce(brought(group.host, dtype), options)),
          )
          for (const one of reduced) {
            expect(bitsOf(one), `${dtype} ${JSON.stringify(options)}`).toEqual(expected)
          }
        }
      }
    },
  )

  it('of a run with a secret has the same bits', async () => {
    const hosts = await groupOf(3, { secret: 'a secret of the run' })
    const brings = [0, 1, 2].map((host) => brought(host, 'float32'))
    const reduced = await Promise.all(
      hosts.map((group) => group.allReduce(brings[group.host]!, { order: 'ring' })),
    )
    for (const one of reduced) expect(bitsOf(one)).toEqual(bitsOf(allReduce(brings, { order: 'ring' })))
  })

  it('in other orders has other bits, so that the order is what is tested', () => {
    const replicas = [0, 1, 2, 3].map((host) => brought(host, 'bfloat16'))
    const [ring, tree] = (['ring', 'tree'] as const).map((order) => bitsOf(allReduce(replicas, { order })))
    expect(ring).not.toEqual(tree)
  })

  it('of trees that differ is refused, naming the host', async () => {
    const hosts = await groupOf(2)
    const reduce = (group: Hosts) =>
      group.allReduce({ x: tensor(group.host === 0 ? [1, 2] : [1, 2, 3, 4, 5]) }, { order: 'all-to-all' })
    await expect(Promise.all(hosts.map(reduce))).rejects.toThrow(
      /allReduce: host [01] has another tensor, \d+ bytes of it \[\d+\]/,
    )
  })
})

describe('a group', () => {
  it('gathers texts by name, calls in any order, and passes a barrier together', async () => {
    const hosts = await groupOf(3)
    const gathered = await Promise.all(
      hosts.map(async (group) => {
        const calls = ['a', 'b'].map((name) => () => group.allGather(name, `${name}${group.host}`))
        if (group.host === 1) calls.reverse()
        const both = await Promise.all(calls.map((call) => call()))
        await group.barrier('end')
        return group.host === 1 ? both.reverse() : both
      }),
    )
    for (const both of gathered) {
      expect(both).toEqual([
        ['a0', 'a1', 'a2'],
        ['b0', 'b1', 'b2'],
      ])
    }
  })

  it('that one leaves with a goodbye has lost nobody', async () => {
    const [first, second] = (await groupOf(2)) as [Hosts, Hosts]
    await second.close()
    await expect(first.barrier('x')).rejects.toThrow('hosts: host 1 has left [host 0]')
    expect(first.lost).toEqual([])
    await expect(second.barrier('x')).rejects.toThrow('hosts: this host has left [host 1]')
  })

  it('hears nothing from strangers', async () => {
    let address = ''
    const join = joinHosts({
      coordinator: '127.0.0.1:0',
      hosts: 2,
      host: 0,
      timeout: 20_000,
      onAddress: (at) => (address = at),
    })
    while (address === '') await new Promise((resolve) => setTimeout(resolve, 5))
    const port = Number(address.split(':')[1])
    for (const said of [
      'GET / HTTP/1.1\r\n\r\n',
      Buffer.alloc(64, 255),
      Buffer.from([2, 0, 0, 0, 0, 0, 0, 0, 123, 125]),
    ]) {
      const socket = connect({ port, host: '127.0.0.1' })
      socket.on('error', () => {}).resume()
      socket.end(said)
      await once(socket, 'close')
    }
    open.push(await joinHosts({ coordinator: address, hosts: 2, host: 1, timeout: 20_000 }), await join)
    expect((await Promise.all(open.map((group) => (group as Hosts).allGather('n', 'x'))))[0]).toEqual([
      'x',
      'x',
    ])
  })
})

describe('joinHosts', () => {
  it('refuses a host that is there and another number of hosts, and says who is missing', async () => {
    let told: (address: string) => void = () => {}
    const address = new Promise<string>((resolve) => {
      told = resolve
    })
    const joins = (options: Partial<JoinOptions>): Promise<string> =>
      joinHosts({ coordinator: '127.0.0.1:0', hosts: 3, host: 1, timeout: 60_000, ...options }).then(
        () => 'joined',
        (error: Error) => error.message,
      )
    const first = joins({ host: 0, timeout: 2000, onAddress: told })
    const coordinator = await address
    // One of the two is there first.
    const twice = [joins({ coordinator }), joins({ coordinator })]
    expect(await joins({ coordinator, hosts: 2 })).toBe(
      'joinHosts: the coordinator waits for 3 hosts, this one for others [2]',
    )
    const missing = 'joinHosts: 2 of 3 hosts joined within 2 s, missing [2]'
    expect(await first).toBe(missing)
    expect((await Promise.all(twice)).sort()).toEqual([
      missing,
      'joinHosts: another process has joined as this host [1]',
    ])
  })

  /** A host that says something of its own to the coordinator, by frames written here. */
  const stranger = async (coordinator: string, head: object) => {
    const json = Buffer.from(JSON.stringify(head))
    const lengths = Buffer.alloc(8)
    lengths.writeUInt32LE(json.length, 0)
    const socket = connect({ port: Number(coordinator.split(':')[1]), host: '127.0.0.1' })
    socket.on('error', () => {}).write(Buffer.concat([lengths, json]))
    const [answer] = (await once(socket, 'data')) as [Buffer]
    return { socket, answer: answer.subarray(8).toString() }
  }
  const begun = async (options: Partial<JoinOptions>) => {
    let told: (address: string) => void = () => {}
    const address = new Promise<string>((resolve) => {
      told = resolve
    })
    const joined = joinHosts({
      ...{ coordinator: '127.0.0.1:0', hosts: 2, host: 0, timeout: 20_000, onAddress: told },
      ...options,
    }).catch((error: Error) => error.message)
    return { joined, coordinator: await address }
  }

  it('refuses a host of another version, and waits on for one of its own', async () => {
    const { joined, coordinator } = await begun({ timeout: 2000 })
    const { answer, socket } = await stranger(coordinator, {
      join: 2,
      host: 1,
      hosts: 2,
      peer: '127.0.0.1:9',
    })
    expect(answer).toBe('{"refused":"this is version 1 of the protocol, the coordinator\'s [2]"}')
    socket.destroy()
    expect(await joined).toBe('joinHosts: 1 of 2 hosts joined within 2 s, missing [1]')
  })

  it('says at once that a host ended when all had joined and not all were connected, whichever it was', async () => {
    const join = { join: 1, hosts: 3, peer: '127.0.0.1:9' }
    // The last one, which the others wait for; and the second, which the last one looks for where nobody listens.
    for (const lost of [2, 1]) {
      const { joined, coordinator } = await begun({ hosts: 3 })
      const other = joinHosts({ coordinator, hosts: 3, host: 3 - lost, timeout: 20_000 }).catch(
        (error: Error) => error.message,
      )
      const { answer, socket } = await stranger(coordinator, { ...join, host: lost })
      expect(answer).toContain('roster')
      socket.destroy()
      for (const said of await Promise.all([joined, other])) {
        expect(said).toMatch(/^joinHosts: host \d ended before all were connected/)
      }
    }
  })

  it('without a coordinator says so when time is up', async () => {
    await expect(joinHosts({ coordinator: '127.0.0.1:9', hosts: 2, host: 1, timeout: 100 })).rejects.toThrow(
      /joinHosts: nobody listens at 127\.0\.0\.1:9 within 0\.1 s \[.*ECONNREFUSED/,
    )
    await expect(joinHosts({ coordinator: 'here', hosts: 2, host: 1 })).rejects.toThrow(
      'joinHosts: not an address with a port [here]',
    )
  })
})

describe('a process that dies', () => {
  const dist = new URL('../../dist/training/hosts/index.js', import.meta.url).href
  /** Host 2 of 3 in a process of its own, which joins and then waits. */
  async function withChild(heartbeatTimeout: number): Promise<{ hosts: Hosts[]; child: ChildProcess }> {
    let address = ''
    const own = joinHosts({
      coordinator: '127.0.0.1:0',
      hosts: 3,
      host: 0,
      timeout: 30_000,
      heartbeatTimeout,
      onAddress: (at) => (address = at),
    })
    while (address === '') await new Promise((resolve) => setTimeout(resolve, 5))
    const program = `import { joinHosts } from '${dist}'
await joinHosts({ coordinator: '${address}', hosts: 3, host: 2, heartbeatTimeout: ${heartbeatTimeout} })
setInterval(() => {}, 1000)`
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'inherit' })
    children.push(child)
    const other = joinHosts({ coordinator: address, hosts: 3, host: 1, timeout: 30_000, heartbeatTimeout })
    const hosts = await Promise.all([own, other])
    open.push(...hosts)
    return { hosts, child }
  }

  it('killed, is lost at once to all, who stop waiting', async () => {
    const { hosts, child } = await withChild(100_000)
    const waiting = hosts.map((group) => group.barrier('never').catch((error: unknown) => error))
    child.kill('SIGKILL')
    for (const error of await Promise.all(waiting)) {
      expect(error).toBeInstanceOf(HostLost)
      expect((error as Error).message).toMatch(
        /hosts: host 2 is lost, (its connection ended|says host [01]) \[host [01]\]/,
      )
    }
    expect(hosts.map(({ lost }) => lost)).toEqual([[2], [2]])
  })

  it('stopped, is lost when it has said nothing for the timeout', async () => {
    const { hosts, child } = await withChild(1500)
    const began = performance.now()
    child.kill('SIGSTOP')
    const error = await hosts[0]!.barrier('never').catch((thrown: Error) => thrown)
    expect(error).toBeInstanceOf(HostLost)
    expect(String(error)).toMatch(/host 2 is lost, (no message for 1\.5 s|says host 1)/)
    expect(performance.now() - began).toBeGreaterThan(1000)
  })
})
