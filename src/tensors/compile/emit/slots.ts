/** An offset among the constants, whose address is not known yet. */
export interface Relative {
  readonly offset: number
}

export type Address = number | Relative

export function plus(address: Address, bytes: number): Address {
  return typeof address === 'number' ? address + bytes : { offset: address.offset + bytes }
}

/** A slot that a value of a loop lies in, for one block; `always`: through all blocks. */
export interface Register {
  last: number
  readonly always: boolean
  slot?: number
}

/** A slot, or a place in memory and by how many bytes an element it runs along. */
export type Operand =
  | { readonly register: Register }
  | { readonly from: Address; readonly along: 0 | 1 | 2 | 4 | 8 }

export interface Line {
  readonly opcode: number
  readonly to: Operand
  readonly reads: readonly Operand[]
  readonly parameter: Address
  /** Whether a NaN with a sign among its results is nothing to report. */
  readonly quiet?: boolean
}

/** Gives registers slots, one that nothing reads any more to the next; returns how many there are. */
export function assignSlots(before: readonly Line[], body: readonly Line[]): number {
  for (const [i, { to, reads }] of body.entries()) {
    for (const operand of [to, ...reads]) if ('register' in operand) operand.register.last = i
  }
  const free: number[] = []
  let count = 0
  const take = (register: Register): void => {
    register.slot ??= free.pop() ?? count++
  }
  for (const { to } of before) if ('register' in to) take(to.register)
  for (const [i, { to, reads }] of body.entries()) {
    if ('register' in to) take(to.register)
    const done = new Set<Register>()
    for (const operand of [to, ...reads]) {
      if ('register' in operand && !operand.register.always && operand.register.last === i) {
        done.add(operand.register)
      }
    }
    for (const register of done) free.push(register.slot!)
  }
  return count
}
