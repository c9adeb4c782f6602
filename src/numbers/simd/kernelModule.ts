import { inflateSync } from 'fflate'
import { type Arena, ofArena, type WebAssemblyLike } from './arena.js'

/** The bytes of a text in base64. */
export function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
}

/** The bytes of an embedded WebAssembly module, which is deflated and base64. */
export function inflated(text: string): Uint8Array {
  return inflateSync(fromBase64(text))
}

/** A WebAssembly module of kernels in the memory of the arena, compiled at its first use; `others` are the modules it calls. */
export function kernelModule<K>(
  bytes: () => Uint8Array,
  others?: (arena: Arena) => object,
): (arena: Arena) => K {
  return ofArena((arena) => {
    const { Module, Instance } = (globalThis as unknown as { WebAssembly: WebAssemblyLike }).WebAssembly
    const imports = { env: { memory: arena.memory }, ...others?.(arena) }
    return new Instance(new Module(bytes()), imports).exports as K
  })
}
