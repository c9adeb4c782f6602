import { checkInteger, checkName, shown } from '../../base/options/index.js'

/** What a cell sees of its neighbours, a weight for each: 3 along a line, 3 x 3 in a plane. */
export type PerceptionKernel = readonly number[] | readonly (readonly number[])[]

/** The names of the kernels that are known. */
export type KernelName = 'identity' | 'gradient' | 'laplacian' | 'sobelX' | 'sobelY'

const line: Readonly<Partial<Record<KernelName, PerceptionKernel>>> = Object.freeze({
  identity: [0, 1, 0],
  gradient: [-1 / 2, 0, 1 / 2],
  laplacian: [1, -2, 1],
})

const plane: Readonly<Partial<Record<KernelName, PerceptionKernel>>> = Object.freeze({
  identity: [
    [0, 0, 0],
    [0, 1, 0],
    [0, 0, 0],
  ],
  sobelX: [
    [-1 / 8, 0, 1 / 8],
    [-2 / 8, 0, 2 / 8],
    [-1 / 8, 0, 1 / 8],
  ],
  sobelY: [
    [-1 / 8, -2 / 8, -1 / 8],
    [0, 0, 0],
    [1 / 8, 2 / 8, 1 / 8],
  ],
  laplacian: [
    [1 / 16, 2 / 16, 1 / 16],
    [2 / 16, -12 / 16, 2 / 16],
    [1 / 16, 2 / 16, 1 / 16],
  ],
})

/**
 * The kernels that have names: along a line identity, gradient and laplacian, in a plane identity, sobelX (along the second
 * axis), sobelY and laplacian. They are not flipped where they are used.
 *
 * Throws    RangeError for other dimensions than 1 and 2.
 * Source    A. Mordvintsev et al., Growing neural cellular automata, doi:10.23915/distill.00023
 *
 * @example perceptionKernels(1).gradient // [-0.5, 0, 0.5]
 * @example Object.keys(perceptionKernels(2)) // ['identity', 'sobelX', 'sobelY', 'laplacian']
 */
export function perceptionKernels(
  dimensions: 1 | 2,
): Readonly<Partial<Record<KernelName, PerceptionKernel>>> {
  checkInteger('perceptionKernels', 'dimensions', dimensions, 1, 2)
  return dimensions === 1 ? line : plane
}

/** A neighbour that counts: how far it lies along each axis, and its weight. */
export interface Tap {
  readonly offset: readonly number[]
  readonly weight: number
}

/** The default perception kernels of an automaton: what the growing automata of 2020 did, or as much along a line. */
export function defaultKernels(dimensions: 1 | 2): readonly KernelName[] {
  return dimensions === 1 ? ['identity', 'gradient', 'laplacian'] : ['identity', 'sobelX', 'sobelY']
}

/** The neighbours that count, row-major, of each kernel that is named or given. */
export function tapsOf(
  op: string,
  kernels: readonly (KernelName | PerceptionKernel)[],
  dimensions: 1 | 2,
): readonly (readonly Tap[])[] {
  if (!Array.isArray(kernels) || kernels.length === 0) {
    throw new RangeError(`${op}: kernels are not a list of names or weights [${shown(kernels)}]`)
  }
  const known = perceptionKernels(dimensions)
  return kernels.map((kernel: KernelName | PerceptionKernel): readonly Tap[] => {
    if (typeof kernel === 'string') {
      checkName(op, `kernel of ${dimensions === 1 ? 'a line' : 'a plane'}`, kernel, Object.keys(known))
      return taps(op, known[kernel]!, dimensions)
    }
    return taps(op, kernel, dimensions)
  })
}

function taps(op: string, kernel: PerceptionKernel, dimensions: 1 | 2): readonly Tap[] {
  const wrong = (): RangeError =>
    new RangeError(`${op}: a kernel has not 3 weights along each of ${dimensions} axes [${shown(kernel)}]`)
  if (!Array.isArray(kernel) || kernel.length !== 3) throw wrong()
  const rows: readonly unknown[] = dimensions === 1 ? [kernel] : kernel
  const found = rows.flatMap((row, y): Tap[] => {
    if (!Array.isArray(row) || row.length !== 3) throw wrong()
    return row.map((weight: unknown, x) => {
      if (typeof weight !== 'number' || !Number.isFinite(weight)) throw wrong()
      return { offset: dimensions === 1 ? [x] : [y, x], weight }
    })
  })
  const counting = found.filter(({ weight }) => weight !== 0)
  if (counting.length === 0) throw new RangeError(`${op}: a kernel has no weight but 0 [${shown(kernel)}]`)
  return counting
}
