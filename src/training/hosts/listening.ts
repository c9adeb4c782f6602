import type { Server } from 'node:net'

/** Where a server listens, once it does; a port of 0 is one that is free. */
export function listening(server: Server, name: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host: name, port }, () => {
      server.off('error', reject)
      // An error of one connection, such as too many open files, does not end the process.
      server.on('error', () => undefined)
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? `${name}:${address.port}` : `${name}:${port}`)
    })
  })
}
