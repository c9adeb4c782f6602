/** How many devices of each side of the torus (row) each axis of the mesh (column) takes. */
export type Assignment = readonly (readonly number[])[]

const productOf = (sizes: readonly number[]): number => sizes.reduce((product, size) => product * size, 1)

/**
 * Whole sides of a torus for the axes of a mesh, the last axis first, since it talks the most: as many sides as its size is a
 * product of, the earlier ones before the later. The number of the axis for which no sides are left, where there is one.
 *
 * Source    the rules of jax 0.10.2, mesh_utils.create_device_mesh
 */
export function assignWholeSides(sides: readonly number[], shape: readonly number[]): Assignment | number {
  const taken = sides.map(() => false)
  const assigned = sides.map(() => shape.map(() => 1))
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    const free = sides.flatMap((_, side) => (taken[side] ? [] : [side]))
    const chosen = largestSubset(free, (some) => productOf(some.map((side) => sides[side]!)) === shape[axis])
    if (!chosen && shape[axis]! > 1) return axis
    for (const side of chosen ?? []) {
      taken[side] = true
      assigned[side]![axis] = sides[side]!
    }
  }
  return assigned
}

/** The subset with the most elements that passes; among equals the first in the order of the elements. */
function largestSubset(
  elements: readonly number[],
  passes: (some: readonly number[]) => boolean,
): readonly number[] | undefined {
  for (let count = elements.length; count > 0; count--) {
    for (const some of subsetsOf(elements, count)) if (passes(some)) return some
  }
  return undefined
}

function* subsetsOf(elements: readonly number[], count: number, from: number = 0): Generator<number[]> {
  if (count === 0) {
    yield []
    return
  }
  for (let i = from; i <= elements.length - count; i++) {
    for (const rest of subsetsOf(elements, count - 1, i + 1)) yield [elements[i]!, ...rest]
  }
}

/**
 * Parts of sides for the axes of a mesh, for shapes that no whole sides make. An axis takes, of all ways to write its size as
 * a product over what is left of the sides, the one with the most devices in whole sides, then with the most whole sides,
 * then with the most in sides that are begun, then with the larger factors first.
 *
 * Source    the preferences of jax 0.10.2, mesh_utils, allow_split_physical_axes. Its table of prime factors is wrong for 10,
 *           14, 20 of 5 x 4 and the like; here every factorization is tried.
 */
export function assignSplitSides(sides: readonly number[], shape: readonly number[]): Assignment {
  const assigned = sides.map(() => shape.map(() => 1))
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    const used = assigned.map(productOf)
    const left = sides.map((size, side) => size / used[side]!)
    const ways = [...factorizations(shape[axis]!, left)]
    const best = ways.reduce((a, b) => (isPreferred(b, a, sides, used) ? b : a))
    best.forEach((factor, side) => {
      assigned[side]![axis] = factor
    })
  }
  return assigned
}

/** Every way to write a size as a product of divisors of what is left of each side. */
function* factorizations(size: number, left: readonly number[]): Generator<number[]> {
  const [first, ...others] = left
  if (first === undefined) {
    if (size === 1) yield []
    return
  }
  for (let factor = 1; factor <= first; factor++) {
    if (first % factor === 0 && size % factor === 0) {
      for (const rest of factorizations(size / factor, others)) yield [factor, ...rest]
    }
  }
}

function isPreferred(
  a: readonly number[],
  b: readonly number[],
  sides: readonly number[],
  used: readonly number[],
): boolean {
  const rank = (way: readonly number[]): number[] => {
    const whole = way.filter((factor, side) => factor === sides[side])
    const begun = way.filter((_, side) => used[side]! > 1)
    return [productOf(whole), whole.filter((factor) => factor > 1).length, productOf(begun), ...way]
  }
  const [first, second] = [rank(a), rank(b)]
  const differs = first.findIndex((value, i) => value !== second[i])
  return differs >= 0 && first[differs]! > second[differs]!
}
