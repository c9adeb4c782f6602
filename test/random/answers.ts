import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** One seed of test/golden/random/jax_random.json. */
export interface Case {
  readonly seed: number
  readonly key: readonly string[]
  readonly split2: readonly string[]
  readonly split5: readonly string[]
  readonly fold_in: Readonly<Record<string, readonly string[]>>
  readonly draws: readonly Draw[]
  readonly categorical_1234_n64: readonly number[]
}
/** The draws of one shape by name; n elements each, unless the shape does not have it. */
export type Draw = { readonly shape: readonly number[] } & Readonly<
  Record<string, readonly (string | number)[]>
>

interface Call {
  readonly call: string
  readonly seed: number
  readonly args: readonly unknown[]
  readonly length: number
  readonly first: readonly string[]
  readonly sha256: string
}
type Words = Int32Array | Uint32Array | Uint16Array | Uint8Array | Float32Array

const checksums = {
  jax_random: '83d14b112212a95afc5daabd079330a11ffa378330fe97372f355291736ba0b9',
  jax_random_more: '54d98a709e18bd3bb225d0f8baeebe2d523b38c3b93cdbbff13fd60b5b1d19f7',
}

function answerKey(name: keyof typeof checksums): unknown {
  const bytes = readFileSync(new URL(`../golden/random/${name}.json`, import.meta.url))
  const sum = createHash('sha256').update(bytes).digest('hex')
  if (sum !== checksums[name]) throw new Error(`golden random/${name}: checksum differs [${sum}]`)
  return JSON.parse(bytes.toString())
}

export const cases = (answerKey('jax_random') as { cases: Case[] }).cases
const more = answerKey('jax_random_more') as { keys: { seed: string; key: string[] }[]; calls: Call[] }
export const seedsBeyond32Bits = more.keys

/** Every (seed, shape) of jax_random.json: [seed, n, draws]. */
export const draws: (readonly [number, number, Draw])[] = cases.flatMap((c) =>
  c.draws.map((draw) => [c.seed, draw.shape.reduce((a, b) => a * b, 1), draw] as const),
)

/** The calls of jax_random_more.json with this name: [readable arguments, call]. */
export function callsOf(name: string): (readonly [string, Call])[] {
  const found = more.calls.filter((c) => c.call === name)
  if (found.length === 0) throw new Error(`golden random: no calls of ${name}`)
  return found.map((c) => [`seed ${c.seed}, ${JSON.stringify(c.args).slice(0, 60)}`, c])
}

/** The bit patterns of a draw as the answer key writes them. */
export function hex(values: Words): string[] {
  const { byteOffset, length, BYTES_PER_ELEMENT: size } = values
  const type = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array }[size]!
  return Array.from(new type(values.buffer as ArrayBuffer, byteOffset, length), (word) =>
    word.toString(16).padStart(2 * size, '0'),
  )
}

/** The facts that jax_random_more.json keeps of a draw. */
export function digest(values: Words): Pick<Call, 'length' | 'first' | 'sha256'> {
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return { length: values.length, first: hex(values.subarray(0, 4)), sha256 }
}

/** What `digest` of the right draw is. */
export function answer({ length, first, sha256 }: Call): Pick<Call, 'length' | 'first' | 'sha256'> {
  return { length, first, sha256 }
}
