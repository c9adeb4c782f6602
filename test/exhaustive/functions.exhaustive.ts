import { readFileSync } from 'node:fs'
import {
  float32Atan2,
  float32Hypot,
  float32LogAddExp,
  float32Pow,
  float32Unary,
  type UnaryName,
} from 'tpu-toolkit/functions'
import { describe, expect, it } from 'vitest'
import { arena, type Float32Unary, float32UnaryBlocks } from '#simd'

// The float32 functions over blocks of 2^24 operands, in the order of their bits, against the hashes of MPFR's results in
// test/golden/functions, and those of two operands over blocks of 2^22 drawn pairs. A block takes a quarter of a second by
// the kernels, some seconds by the scalar functions.
//
//   FUNCTIONS=exp,log     only these
//   BLOCKS=56:67          only these blocks of each: 56 begins with 2^-15, 128 with -0
//   ENGINE=plain          the scalar functions instead of the kernels
//   ENGINE=chromium       the kernels in Chromium; firefox: in Firefox
//
// What has no hash yet: scripts/golden/float32/keys.py hashes exp log, which needs gcc and libmpfr-dev.

const { hashes } = JSON.parse(
  readFileSync(new URL('../golden/functions/float32_hashes.json', import.meta.url), 'utf8'),
) as { hashes: Record<string, Record<string, string>> }
const named = (process.env['FUNCTIONS'] ?? '').split(',').filter(Boolean)
const chosen = named.length ? named : Object.keys(hashes)
const [from, to] = (process.env['BLOCKS'] || '0:256').split(':').map(Number) as [number, number]
const inBrowser = ['chromium', 'firefox'].includes(process.env['ENGINE'] ?? '')
const simd = process.env['ENGINE'] === 'plain' ? undefined : arena('simd')

const part = 2 ** 18
const bits = new Uint32Array(part)
const operands = new Float32Array(bits.buffer)
const words = new Uint32Array(part)
const results = new Float32Array(words.buffer)

const hex = (hash: number): string => (hash >>> 0).toString(16).padStart(8, '0')

/** The hash with the results so far added to it. */
function withResults(hash: number): number {
  let h = hash
  for (let i = 0; i < part; i++) {
    const word = words[i]!
    h = Math.imul(h ^ ((word & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : word), 0x01000193)
  }
  return h
}

const odd = (x: number): boolean => x < 0 || Object.is(x, -0)

/**
 * The sign of f(x) wherever f(x) is a number: that of x, never a minus, or one to be asked for; the hash tells of wrong signs only
 * whether they are odd in number. Of sin, cos and tan the engine's float64 value has the sign; lgamma is left to its samples.
 */
const signs: Readonly<Partial<Record<UnaryName, 'odd' | 'plus' | ((x: number) => boolean)>>> = {
  ...Object.fromEntries(
    [
      'expm1',
      'log1p',
      'cbrt',
      'asin',
      'atan',
      'sinh',
      'tanh',
      'asinh',
      'atanh',
      'erf',
      'silu',
      'gelu',
      'geluTanh',
    ].map((name) => [name, 'odd']),
  ),
  ...Object.fromEntries(
    ['exp', 'exp2', 'sigmoid', 'softplus', 'erfc', 'cosh', 'acos', 'acosh'].map((name) => [name, 'plus']),
  ),
  ...{ log: (x) => x < 1, log2: (x) => x < 1, log10: (x) => x < 1, rsqrt: (x) => Object.is(x, -0) },
  sin: (x) => odd(Math.sin(x)),
  cos: (x) => Math.cos(x) < 0,
  tan: (x) => odd(Math.tan(x)),
}

/** How many of the results so far have a sign bit that is not that of the value. */
function wrongSigns(name: UnaryName): number {
  const sign = signs[name]
  // To ask for every sign takes a browser longer than all the rest; that they are Node's is what the hash tells.
  if (!sign || (inBrowser && typeof sign === 'function')) return 0
  let count = 0
  for (let i = 0; i < part; i++) {
    const word = words[i]!
    if ((word & 0x7fffffff) > 0x7f800000) continue
    const minus = sign === 'odd' ? bits[i]! >>> 31 : Number(sign !== 'plus' && sign(operands[i]!))
    if (word >>> 31 !== minus) count++
  }
  return count
}

function hashOf(name: UnaryName, block: number): string {
  let hash = 0x811c9dc5
  let wrong = 0
  const f = float32Unary[name]
  for (let start = 0; start < 2 ** 24; start += part) {
    for (let i = 0; i < part; i++) bits[i] = block * 2 ** 24 + start + i
    if (simd && name !== 'lgamma') float32UnaryBlocks(simd, name as Float32Unary, operands, results)
    else for (let i = 0; i < part; i++) results[i] = f(operands[i]!)
    hash = withResults(hash)
    wrong += wrongSigns(name)
  }
  return wrong === 0 ? hex(hash) : `${wrong} wrong signs`
}

const binary: Readonly<Record<string, (a: number, b: number) => number>> = {
  pow: float32Pow,
  atan2: float32Atan2,
  hypot: float32Hypot,
  logAddExp: float32LogAddExp,
}

/** The bits of an operand of a pair, as scripts/golden/float32/oracle.c draws them. */
function drawn(pair: number, which: number): number {
  let n = 2 * pair + which
  n = Math.imul(n ^ (n >>> 16), 0x85ebca6b)
  n = Math.imul(n ^ (n >>> 13), 0xc2b2ae35)
  n ^= n >>> 16
  return pair & 3 ? (n & 0x8fffffff) + 0x37800000 : n
}

const others = new Float32Array(part)
const otherBits = new Uint32Array(others.buffer)

function hashOfPairs(f: (a: number, b: number) => number, block: number): string {
  let hash = 0x811c9dc5
  for (let start = 0; start < 2 ** 22; start += part) {
    for (let i = 0; i < part; i++) {
      const pair = block * 2 ** 22 + start + i
      bits[i] = drawn(pair, 0)
      otherBits[i] = drawn(pair, 1)
    }
    for (let i = 0; i < part; i++) results[i] = f(operands[i]!, others[i]!)
    hash = withResults(hash)
  }
  return hex(hash)
}

describe('the float32 functions, over all of the blocks that have a hash', () => {
  it.each(chosen)('%s has the bits of MPFR', { timeout: 36_000_000 }, async (name) => {
    const start = Date.now()
    const keys = Object.entries(hashes[name]!).filter(
      ([block]) => from <= Number(block) && Number(block) < to,
    )
    expect(keys.length).toBeGreaterThan(0)
    const f = binary[name]
    const wrong: string[] = []
    for (const [block, hash] of keys) {
      const own = f ? hashOfPairs(f, Number(block)) : hashOf(name as UnaryName, Number(block))
      if (own !== hash) wrong.push(block)
      // A page has to answer in between.
      if (inBrowser) await new Promise<void>((resolve) => void setTimeout(resolve))
    }
    const size = f ? '2^22 pairs' : '2^24'
    const line = `${name}: ${keys.length} blocks of ${size}, ${wrong.length} wrong, ${(Date.now() - start) / 1000} s`
    if (inBrowser) console.log(`${line}, ${process.env['ENGINE']}`)
    else process.stdout.write(`${line}\n`)
    expect(wrong).toEqual([])
  })
})
