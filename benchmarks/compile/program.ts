import { compile } from 'tpu-toolkit/compile'
import type { Tensor } from 'tpu-toolkit/tensor'
import { leavesOf, type Treelike } from 'tpu-toolkit/tree'

/** One program, to be run eagerly and compiled. */
export interface Program {
  readonly name: string
  /** What a time is divided by, and what that is called. */
  readonly n: number
  readonly unit: string
  prepare(): Prepared
}

/** Both ways to run it, and what each gives from the same inputs. */
export interface Prepared {
  readonly eager: () => Treelike
  readonly compiled: () => Treelike
  /** Compiled for so many threads. */
  readonly threaded: (threads: number) => () => Treelike
}

/** A function and its inputs, run as it is and compiled. */
export function both<A extends readonly unknown[]>(f: (...args: A) => Treelike, args: A): Prepared {
  const threaded = (threads: number): (() => Treelike) => {
    const compiled = compile(f, { threads })
    return () => compiled(...args)
  }
  return { eager: () => f(...args), compiled: threaded(1), threaded }
}

export const milliseconds = { n: 1e6, unit: 'ms' } as const
export const microseconds = { n: 1e3, unit: 'µs' } as const

/** Throws unless both ways give the same bits, at their first call and at their second. */
export function checkSameBits(name: string, eager: () => Treelike, compiled: () => Treelike): void {
  for (let call = 0; call < 2; call++) {
    const [expected, actual] = [leavesOf(eager()), leavesOf(compiled())]
    if (expected.length !== actual.length) throw new Error(`${name}: compiled gives other results`)
    for (const [i, x] of expected.entries()) {
      const [a, b] = [bytesOf(x), bytesOf(actual[i]!)]
      const at = a.findIndex((byte, k) => byte !== b[k])
      if (at >= 0 || a.length !== b.length) {
        throw new Error(`${name}: compiled gives other bits [result ${i}, byte ${at}]`)
      }
    }
  }
}

const bytesOf = ({ data }: Tensor): Uint8Array =>
  new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
