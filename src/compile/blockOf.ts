/** Elements of a block of a loop whose rows have so many: about `most`. */
export function blockOf(row: number, most: number, threads: number): number {
  return threads > 1 ? evenBlock(row, most) : wholeRows(row, most)
}

/** As many rows as there is room for, or a part of one. */
function wholeRows(row: number, most: number): number {
  return row <= most ? Math.floor(most / row) * row : most
}

/**
 * The same where threads write blocks next to each other: vectors of up to 16 write behind the last element of a block, so blocks end
 * where vectors do. Rows of odd lengths make long ones; too long ones are cut as they come.
 */
function evenBlock(row: number, most: number): number {
  let even = row
  while (even % 16 !== 0) even *= 2
  return even <= 4 * most ? Math.max(even, wholeRows(even, most)) : most
}
