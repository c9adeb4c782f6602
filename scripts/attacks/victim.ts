import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { SeededStream } from 'tpu-toolkit/random'

/** The folder of the project: a program that runs there finds the built package by its name. */
export const root = fileURLToPath(new URL('../../..', import.meta.url))

/** A process that is attacked. */
export interface Victim {
  /** The first line that it printed. */
  readonly line: string
  /** Tells it that the attack is over; it does its work and ends by itself. Resolves with the rest of what it printed. */
  finish(): Promise<string>
}

/** Starts a program, which prints a line when it can be attacked, and goes on when it reads one. */
export async function victim(program: string, args: readonly string[] = []): Promise<Victim> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, ...args], {
    cwd: root,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout.on('data', (data: Buffer) => {
    said += data.toString()
  })
  const ended = once(child, 'exit') as Promise<[code: number | null, signal: string | null]>
  await Promise.race([once(child.stdout, 'data'), ended])
  const line = said.split('\n', 1)[0]!
  return {
    line,
    finish: async () => {
      child.stdin.on('error', () => {}).write('go\n')
      const late = setTimeout(() => child.kill('SIGKILL'), 60_000)
      const [code, signal] = await ended
      clearTimeout(late)
      if (code !== 0) throw new Error(`attack: the victim ended with ${signal ?? code} [${said.slice(-200)}]`)
      return said.slice(line.length + 1).trim()
    },
  }
}

/** Waits in a victim until the attack is over. */
export const untilOver = `await new Promise((resolve) => process.stdin.once('data', resolve)); process.stdin.destroy()`

/** Sends bytes to a port of this machine, and gives what came back within a second or until the other end closed. */
export async function send(port: number, bytes: Uint8Array | string, wait = 1000): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  let came = ''
  socket.on('data', (data: Buffer) => {
    if (came.length < 1_000_000) came += data.toString('latin1')
  })
  const over = new Promise<void>((resolve) => {
    socket
      .once('close', resolve)
      .once('end', resolve)
      .once('error', () => resolve())
    setTimeout(resolve, wait).unref()
  })
  socket.write(bytes)
  await over
  socket.destroy()
  return came
}

/** One of some things. */
export function pick<T>(random: SeededStream, of: readonly T[]): T {
  return of[Math.floor(random() * of.length)]!
}

/** A value of JSON that nobody expects. */
export function odd(random: SeededStream, depth = 0): unknown {
  const leaf = [null, true, -0, 1e308, 0, 1, 2 ** 53, '', '\0', 'x'.repeat(5000), '__proto__', -1, 0.5]
  if (depth > 3 || random() < 0.6) return pick(random, leaf)
  const values = Array.from({ length: Math.floor(random() * 4) }, () => odd(random, depth + 1))
  if (random() < 0.4) return values
  const names = ['toString', 'valueOf', 'constructor', '__proto__', 'length', 'then', 'toJSON', 'a']
  return Object.fromEntries(values.map((value) => [pick(random, names), value]))
}

/** Bytes that nobody expects. */
export function noise(random: SeededStream, most = 2000): Uint8Array {
  return Uint8Array.from({ length: 1 + Math.floor(random() * most) }, () => Math.floor(random() * 256))
}
