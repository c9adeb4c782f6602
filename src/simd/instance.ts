import { kernelsBase64 } from './kernels.wasm.js'

type Pointer = number

/** The unary functions of float32 that have a kernel. */
export type Float32Unary =
  | 'exp'
  | 'exp2'
  | 'expm1'
  | 'log'
  | 'log2'
  | 'log10'
  | 'log1p'
  | 'sqrt'
  | 'rsqrt'
  | 'cbrt'
  | 'reciprocal'
  | 'sin'
  | 'cos'
  | 'tan'
  | 'asin'
  | 'acos'
  | 'atan'
  | 'sinh'
  | 'cosh'
  | 'tanh'
  | 'asinh'
  | 'acosh'
  | 'atanh'
  | 'sigmoid'
  | 'softplus'
  | 'silu'
  | 'gelu'
  | 'geluTanh'
  | 'erf'
  | 'erfc'
  | 'square'
  | 'abs'
  | 'neg'
  | 'sign'
  | 'floor'
  | 'ceil'
  | 'rint'
  | 'trunc'
  | 'relu'

/** The operations of two float32 operands that have a kernel; the last four give bytes. */
export type Float32Binary =
  | 'add'
  | 'sub'
  | 'mul'
  | 'div'
  | 'min'
  | 'max'
  | 'equal'
  | 'notEqual'
  | 'less'
  | 'lessEqual'

/** Conversions that have a kernel, `to` of `from`. */
export type Conversion =
  | 'int32OfFloat32'
  | 'uint32OfFloat32'
  | 'int32OfFloat64'
  | 'uint32OfFloat64'
  | 'boolOfFloat32'
  | 'boolOfFloat64'
  | 'boolOfInt32'
  | 'float32OfFloat64'
  | 'float16OfFloat32'

type UnaryKernel = (from: Pointer, to: Pointer, count: number) => void
type BinaryOfFloat32 = (
  a: Pointer,
  b: Pointer,
  to: Pointer,
  count: number,
  stepA: number,
  stepB: number,
) => void

type SumsOfColumns = (
  from: Pointer,
  to: Pointer,
  rows: number,
  width: number,
  sums: Pointer,
  rests: Pointer,
) => void

/** What wasm/assembly/index.ts exports: pointers are byte offsets into `memory`. */
export interface KernelExports
  extends Readonly<Record<`${Float32Unary}Float32`, UnaryKernel>>,
    Readonly<Record<`${Float32Binary}Float32`, BinaryOfFloat32>>,
    Readonly<Record<Conversion, UnaryKernel>> {
  readonly memory: { readonly buffer: ArrayBuffer }
  encodeFloat32(from: Pointer, to: Pointer, count: number): void
  encodeFloat64(from: Pointer, to: Pointer, count: number): void
  largestOfBlocks(from: Pointer, to: Pointer, blocks: number, blockSize: number): void
  encodeElements(
    from: Pointer,
    to: Pointer,
    factors: Pointer,
    blocks: number,
    blockSize: number,
    bits: number,
    mantissaBits: number,
    max: number,
  ): void
  encodeInt8Elements(from: Pointer, to: Pointer, factors: Pointer, blocks: number, blockSize: number): void
  add(a: Pointer, b: Pointer, to: Pointer, count: number): void
  sub(a: Pointer, b: Pointer, to: Pointer, count: number): void
  mul(a: Pointer, b: Pointer, to: Pointer, count: number): void
  div(a: Pointer, b: Pointer, to: Pointer, count: number): void
  min(a: Pointer, b: Pointer, to: Pointer, count: number): void
  max(a: Pointer, b: Pointer, to: Pointer, count: number): void
  addHalf(a: Pointer, b: Pointer, to: Pointer, count: number): void
  subHalf(a: Pointer, b: Pointer, to: Pointer, count: number): void
  mulHalf(a: Pointer, b: Pointer, to: Pointer, count: number): void
  divHalf(a: Pointer, b: Pointer, to: Pointer, count: number): void
  minHalf(a: Pointer, b: Pointer, to: Pointer, count: number): void
  maxHalf(a: Pointer, b: Pointer, to: Pointer, count: number): void
  sequentialLane(from: Pointer, to: Pointer, count: number, state: Pointer): void
  kahanLane(from: Pointer, to: Pointer, count: number, state: Pointer): void
  neumaierLane(from: Pointer, to: Pointer, count: number, state: Pointer): void
  readonly sequentialColumns: SumsOfColumns
  readonly kahanColumns: SumsOfColumns
  readonly neumaierColumns: SumsOfColumns
  pairwiseColumns(at: Pointer, n: number, bytes: number): void
  associativeColumns(at: Pointer, n: number, bytes: number): void
  blockedColumns(at: Pointer, n: number, width: number, bytes: number): void
  windowedColumns(at: Pointer, n: number, width: number, bytes: number): void
  pairwiseScanColumns(at: Pointer, n: number, bytes: number): void
  associativeScanColumns(at: Pointer, n: number, bytes: number, step: number): void
  blockedScanColumns(at: Pointer, n: number, width: number, bytes: number, scratch: Pointer): void
  transposeLanes(from: Pointer, to: Pointer, count: number, stride: number): void
  pairwiseSum(from: Pointer, n: number): number
  associativeSum(from: Pointer, n: number, scratch: Pointer): number
  blockedSum(from: Pointer, n: number, width: number, scratch: Pointer): number
  windowedSum(from: Pointer, n: number, width: number, scratch: Pointer): number
  pairwiseScan(from: Pointer, to: Pointer, n: number): void
  associativeScan(from: Pointer, to: Pointer, n: number, scratch: Pointer): void
  blockedScan(from: Pointer, to: Pointer, n: number, width: number, scratch: Pointer): void
  where32(
    condition: Pointer,
    a: Pointer,
    b: Pointer,
    to: Pointer,
    count: number,
    stepA: number,
    stepB: number,
  ): void
  map(from: Pointer, to: Pointer, table: Pointer, count: number): void
  cumsum(from: Pointer, to: Pointer, count: number, sum: number): number
  cumsumFloat32(from: Pointer, to: Pointer, count: number, sum: number): number
  clearRanges(range: Pointer, count: number): void
  packLeft(from: Pointer, to: Pointer, range: Pointer, rows: number, k: number): void
  packRight(
    from: Pointer,
    to: Pointer,
    range: Pointer,
    first: number,
    rows: number,
    k: number,
    columns: number,
  ): void
  packLeftFloat32(from: Pointer, to: Pointer, rows: number, k: number): void
  packRightFloat32(from: Pointer, to: Pointer, first: number, rows: number, k: number, columns: number): void
  multiply(
    left: Pointer,
    right: Pointer,
    sums: Pointer,
    bands: number,
    panels: number,
    k: number,
    leftRange: Pointer,
    rightRange: Pointer,
  ): number
  multiplyFloat32(
    left: Pointer,
    right: Pointer,
    sums: Pointer,
    bands: number,
    panels: number,
    k: number,
  ): void
  packLeftFloat64(from: Pointer, to: Pointer, rows: number, k: number): void
  packRightFloat64(from: Pointer, to: Pointer, first: number, rows: number, k: number, columns: number): void
  multiplyFloat64(
    left: Pointer,
    right: Pointer,
    sums: Pointer,
    bands: number,
    panels: number,
    k: number,
  ): void
  multiplyInt32(left: Pointer, right: Pointer, sums: Pointer, bands: number, panels: number, k: number): void
  encodeSums(from: Pointer, to: Pointer, count: number): void
  packBands(from: Pointer, row: number, column: number, to: Pointer, rows: number, depth: number): void
  packPanels(from: Pointer, row: number, column: number, to: Pointer, columns: number, depth: number): void
  measure(at: Pointer, count: number, to: Pointer): void
  multiplyWithin(
    left: Pointer,
    right: Pointer,
    sums: Pointer,
    apart: number,
    bands: number,
    panels: number,
    k: number,
    spans: Pointer,
    exact: number,
  ): void
  multiplyAlong(
    left: Pointer,
    right: Pointer,
    sums: Pointer,
    apart: number,
    bands: number,
    panels: number,
    k: number,
    spans: Pointer,
    exact: number,
  ): void
  logitsOfTile(
    tile: Pointer,
    width: number,
    apart: number,
    kind: number,
    scale: number,
    mask: Pointer,
    value: number,
    most: Pointer,
    spans: Pointer,
  ): void
  weighTile(
    tile: Pointer,
    width: number,
    apart: number,
    kind: number,
    single: number,
    most: Pointer,
    state: Pointer,
    spans: Pointer,
  ): void
  packTile(tile: Pointer, width: number, apart: number, to: Pointer, rows: number, narrow: number): void
  addTile(
    to: Pointer,
    product: Pointer,
    apart: number,
    rows: number,
    kind: number,
    single: number,
    factor: Pointer,
    share: Pointer,
  ): void
  finishTile(
    from: Pointer,
    apart: number,
    by: Pointer,
    to: Pointer,
    step: number,
    length: number,
    rows: number,
  ): void
  slopesOfTile(
    p: Pointer,
    ds: Pointer,
    width: number,
    apart: number,
    scale: number,
    mask: Pointer,
    lse: Pointer,
    less: Pointer,
    narrow: number,
    spans: Pointer,
  ): void
  addPart(total: Pointer, part: Pointer, apart: number, length: number, rows: number): void
  adamw(
    grads: Pointer,
    params: Pointer,
    mu: Pointer,
    nu: Pointer,
    count: number,
    b1: number,
    oneMinusB1: number,
    b2: number,
    oneMinusB2: number,
    correction1: number,
    correction2: number,
    eps: number,
    epsRoot: number,
    rate: number,
    decay: number,
    decays: number,
    factor: number,
    zeroNans: number,
  ): number
}

// The part of the WebAssembly interface used here; neither ES2022 nor Node's types declare it.
interface WebAssemblyLike {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object) => { readonly exports: unknown }
}

/** The kernels, compiled now; undefined where WebAssembly or its SIMD is missing or forbidden. */
export function instantiate(): KernelExports | undefined {
  const { WebAssembly } = globalThis as { WebAssembly?: WebAssemblyLike }
  if (!WebAssembly) return undefined
  try {
    const bytes = Uint8Array.from(atob(kernelsBase64), (letter) => letter.charCodeAt(0))
    return new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports as KernelExports
  } catch {
    return undefined
  }
}
