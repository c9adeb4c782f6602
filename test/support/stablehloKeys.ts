import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import type { Tolerance } from '../../scripts/stablehlo/differenceOf.js'

/** An array of a key: its type as MLIR writes it (`tensor<2x3xbf16>`), and its bytes. */
export interface KeyArray {
  readonly type: string
  readonly bytes: Uint8Array
}

/** What an oracle makes of a program, and how far another may be off. */
export interface KeyResults {
  readonly tolerance: Tolerance
  readonly results: readonly KeyArray[]
}

export interface StableHloKey {
  readonly name: string
  readonly text: string
  readonly arguments: readonly KeyArray[]
  /** 'jit' is jax.jit with excess precision off, 'default' with its default flags. */
  readonly oracles: Readonly<Partial<Record<'interpreter' | 'jit' | 'default', KeyResults>>>
}

type Stored = readonly [type: string, place: number]

interface StoredKeys {
  readonly buffers: readonly string[]
  readonly programs: readonly {
    readonly name: string
    readonly text: string
    readonly arguments: readonly Stored[]
    readonly oracles: Readonly<
      Record<string, { readonly tolerance: Tolerance; readonly results: readonly Stored[] }>
    >
  }[]
}

/** The programs of test/golden/stablehlo/NAME.json.gz. */
export function stablehloKeys(name: 'elementwise' | 'structural' | 'whole' | 'jit'): readonly StableHloKey[] {
  const file = new URL(`../golden/stablehlo/${name}.json.gz`, import.meta.url)
  const { buffers, programs } = JSON.parse(gunzipSync(readFileSync(file)).toString()) as StoredKeys
  const bytes = buffers.map((hex) => new Uint8Array(Buffer.from(hex, 'hex')))
  const array = ([type, place]: Stored): KeyArray => ({ type, bytes: bytes[place]! })
  return programs.map(({ name, text, arguments: given, oracles }) => ({
    name,
    text,
    arguments: given.map(array),
    oracles: Object.fromEntries(
      Object.entries(oracles).map(([oracle, { tolerance, results }]) => [
        oracle,
        { tolerance, results: results.map(array) },
      ]),
    ),
  }))
}
