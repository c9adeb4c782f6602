/** Codes at `from` -> their entries of the table of 65,536 codes; count rounded up to a multiple of 4. */
export function map(from: usize, to: usize, table: usize, count: i32): void {
  const end = to + ((count + 3) & ~3) * 2
  for (; to < end; from += 8, to += 8) {
    const a = load<u16>(table + (usize(load<u16>(from)) << 1))
    const b = load<u16>(table + (usize(load<u16>(from, 2)) << 1))
    const c = load<u16>(table + (usize(load<u16>(from, 4)) << 1))
    const d = load<u16>(table + (usize(load<u16>(from, 6)) << 1))
    store<u16>(to, a)
    store<u16>(to, b, 2)
    store<u16>(to, c, 4)
    store<u16>(to, d, 6)
  }
}
