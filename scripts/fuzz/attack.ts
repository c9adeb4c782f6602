import { seeded } from 'tpu-toolkit/random'
import { mutate } from './mutate.js'
import type { Reader } from './reader.js'

/** What an input came to. */
export type Outcome =
  | { readonly kind: 'read'; readonly value: unknown }
  | { readonly kind: 'refused'; readonly message: string }
  /** An error that is none of ours: a stack that overflowed, memory that was not there, a property of undefined. */
  | { readonly kind: 'crashed'; readonly message: string }

/** Input number `i` of a seed: depends on nothing else. */
export function input({ name, seeds, repair }: Reader, seed: number, i: number): Uint8Array {
  const random = seeded(`${name} ${seed} ${i}`)
  const bytes = mutate(seeds[Math.floor(random() * seeds.length)]!, seeds, random)
  return repair && random() < 0.6 ? repair(bytes) : bytes
}

/** What a reader makes of bytes. */
export async function attack(reader: Reader, bytes: Uint8Array): Promise<Outcome> {
  try {
    return { kind: 'read', value: await reader.read(bytes) }
  } catch (error) {
    const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
    const ours =
      (error instanceof RangeError || error instanceof TypeError) &&
      reader.ops.some((op) => error.message.startsWith(`${op}: `))
    return ours ? { kind: 'refused', message } : { kind: 'crashed', message }
  }
}
