import { readFileSync } from 'node:fs'
import { type FloatDType, fromBits, type Tensor } from 'tpu-toolkit/tensor'
import { pathsOf, type Tree, treeFromPaths } from 'tpu-toolkit/tree'

/** The bits of every leaf as the keys write them: elements as big-endian hex digits, C order. */
export type LeafBits = Readonly<Record<string, string>>

/** [path, shape] of every leaf; `decoder/w` is under decoder. */
export type Leaves = readonly (readonly [string, readonly number[]])[]

/** An answer key of test/golden/optimizer. */
export function optimizerKey<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`../golden/optimizer/${name}.json`, import.meta.url), 'utf8'))
}

export const dtypeOf = (short: string): FloatDType => (short === 'f32' ? 'float32' : 'bfloat16')

/** A tensor of stored bits. */
export function tensorOfBits(text: string, dtype: FloatDType, shape: readonly number[]): Tensor {
  const width = dtype === 'bfloat16' ? 4 : 8
  const codes = (text.match(new RegExp(`.{${width}}`, 'g')) ?? []).map((digits) =>
    Number.parseInt(digits, 16),
  )
  return fromBits(codes, { dtype, shape })
}

/** A tree of stored bits. */
export function treeOf(leaves: Leaves, bits: LeafBits, dtype: FloatDType): Tree {
  return treeFromPaths(
    leaves.map(([path, shape]) => ({
      path: path.replaceAll('/', '.'),
      leaf: tensorOfBits(bits[path]!, dtype, shape),
    })),
  )
}

/** The gradients of one step. */
export function gradsAt(
  leaves: Leaves,
  grads: Readonly<Record<string, readonly string[]>>,
  step: number,
  dtype: FloatDType,
): Tree {
  return treeOf(leaves, Object.fromEntries(leaves.map(([path]) => [path, grads[path]![step]!])), dtype)
}

/** A tree's bits as the keys write them, every NaN alike. */
export function bitsOf(tree: Tree): LeafBits {
  return Object.fromEntries(
    pathsOf(tree).map(({ path, leaf }) => [path.replaceAll('.', '/'), tensorBits(leaf)]),
  )
}

/** A tensor's bits as the keys write them, every NaN alike. */
export function tensorBits(x: Tensor): string {
  const width = x.dtype === 'bfloat16' ? 4 : 8
  const values = x.toNumbers()
  return Array.from(x.toBits() as Uint32Array, (code, i) =>
    Number.isNaN(values[i]) ? 'nan'.padEnd(width) : code.toString(16).padStart(width, '0'),
  ).join('')
}

/** Stored bits with every NaN alike. */
export function stored(bits: LeafBits, leaves: Leaves, dtype: FloatDType): LeafBits {
  return bitsOf(treeOf(leaves, bits, dtype))
}

/** The largest distance, in ulps of the dtype, between a tree and stored bits; Infinity where only one is NaN. */
export function ulpsFrom(tree: Tree, bits: LeafBits): number {
  let most = 0
  for (const { path, leaf } of pathsOf(tree)) {
    const expected = tensorOfBits(bits[path.replaceAll('.', '/')]!, leaf.dtype as FloatDType, leaf.shape)
    const half = leaf.dtype === 'bfloat16' ? 0x8000 : 2 ** 31
    const index = (code: number): number => (code < half ? code : half - code)
    const [a, b] = [leaf.toBits() as Uint32Array, expected.toBits() as Uint32Array]
    const [x, y] = [leaf.toNumbers(), expected.toNumbers()]
    for (let i = 0; i < a.length; i++) {
      if (Number.isNaN(x[i]) || Number.isNaN(y[i])) {
        most = Number.isNaN(x[i]) === Number.isNaN(y[i]) ? most : Infinity
      } else {
        most = Math.max(most, Math.abs(index(a[i]!) - index(b[i]!)))
      }
    }
  }
  return most
}

/** optax's argument names in camelCase, dtypes by their names. */
export function camelOptions(hyper: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const camel = (name: string): string =>
    name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  return Object.fromEntries(Object.entries(hyper).map(([name, value]) => [camel(name), value]))
}
