const block = 4096
let only: ReturnType<typeof open> | undefined

/**
 * Looks codes up in a table of float32 bits that has an entry for each. False where some may have had none: an earlier
 * call's codes, behind the last of a block, count too.
 */
export function decodeByTable(
  codes: Uint8Array | Uint16Array,
  table: Uint32Array,
  out: Uint32Array,
): boolean {
  only ??= open()
  return only(codes, table, out)
}

// Arrays made once, which the engine compiles as constants: encodeLong.ts says more.
function open(): typeof decodeByTable {
  const narrow = new Uint8Array(block)
  const wide = new Uint16Array(block)
  const decoded = new Uint32Array(block)
  const entries = new Uint32Array(65536)
  let held: Uint32Array | undefined

  function decodeNarrow(count: number): number {
    let all = 0
    for (let i = 0; i < count; i += 4) {
      const a = narrow[i]!
      const b = narrow[i + 1]!
      const c = narrow[i + 2]!
      const d = narrow[i + 3]!
      decoded[i] = entries[a]!
      decoded[i + 1] = entries[b]!
      decoded[i + 2] = entries[c]!
      decoded[i + 3] = entries[d]!
      all |= a | b | c | d
    }
    return all
  }

  function decodeWide(count: number): number {
    let all = 0
    for (let i = 0; i < count; i += 4) {
      const a = wide[i]!
      const b = wide[i + 1]!
      const c = wide[i + 2]!
      const d = wide[i + 3]!
      decoded[i] = entries[a]!
      decoded[i + 1] = entries[b]!
      decoded[i + 2] = entries[c]!
      decoded[i + 3] = entries[d]!
      all |= a | b | c | d
    }
    return all
  }

  return (codes, table, out) => {
    if (held !== table) entries.set(table)
    held = table
    let all = 0
    for (let start = 0; start < codes.length; start += block) {
      const part = codes.subarray(start, start + block)
      const count = part.length
      if (part instanceof Uint8Array) {
        narrow.set(part)
        all |= decodeNarrow(count)
      } else {
        wide.set(part)
        all |= decodeWide(count)
      }
      out.set(count === block ? decoded : decoded.subarray(0, count), start)
    }
    return all < table.length
  }
}
