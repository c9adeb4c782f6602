/** Checks the number of elements of a draw: counters of one key are 32-bit words here. */
export function checkCount(op: string, n: number): void {
  if (!(Number.isInteger(n) && n >= 0 && n < 2 ** 32)) {
    throw new RangeError(`${op}: n is not an integer in 0..2^32-1 [${String(n)}]`)
  }
}

/** Throws where a draw without an array of the caller's has more elements than a call makes room for. */
export function checkFresh(op: string, n: number): void {
  if (n > 2 ** 29) {
    throw new RangeError(`${op}: more than 2^29 elements in one array, draw them in parts [${n}]`)
  }
}

/** The array a draw of n elements goes to: `out` if it fits, else a new one. */
export function destination<T extends { readonly length: number }>(
  op: string,
  n: number,
  type: new (n: number) => T,
  out: unknown,
): T {
  checkCount(op, n)
  if (out === undefined) return fresh(op, n, type)
  if (!(out instanceof type)) {
    throw new TypeError(`${op}: out is not a ${type.name} [${String(out).slice(0, 50)}]`)
  }
  if (out.length !== n) throw new RangeError(`${op}: out is not of length n [${out.length}, ${n}]`)
  return out
}

function fresh<T>(op: string, n: number, type: new (n: number) => T): T {
  checkFresh(op, n)
  try {
    return new type(n)
  } catch {
    throw new RangeError(`${op}: there is no memory for so many [${n}]`)
  }
}
