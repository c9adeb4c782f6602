import type { PeakDType } from '../../planning/hardware/index.js'
import type { ProductSplit, ProgramOperation, ProgramProduct } from '../../planning/plan/index.js'
import type { Module, Operation, Type, Value } from '../../programs/stablehlo/index.js'
import { devicesOf, meshAxesOf } from '../program/meshAxes.js'
import { bytesOf, flopsOf, integersOf, isContainer, product, siteOf, sum } from '../program/operationFacts.js'
import { walkProgram } from '../program/walkProgram.js'
import { axesAfter, type DimensionAxes, productAxes, readAxes, type ValueAxes, waysOf } from './axesOf.js'

/** An argument or a result of a program, and what one device holds of it. */
export interface SplitValue {
  readonly name: string
  readonly shape: readonly number[]
  readonly element: string
  /** The axes of each dimension; null where the text says nothing of it. */
  readonly axes: readonly (readonly string[])[] | null
  readonly shardShape: readonly number[]
  readonly bytesPerDevice: number
}

/** A program as the planner takes it. */
export interface ProgramWork {
  readonly operations: readonly ProgramOperation[]
  /** Of its mesh, 1 where there is none. */
  readonly devices: number
  readonly mesh: Readonly<Record<string, number>>
  readonly values: readonly SplitValue[]
  /** Loops whose rounds are not known: counted once. */
  readonly unknownLoops: number
}

/** Reads the operations of a function, its products of matrices with their sizes, and how a mesh splits them. */
export function programOperations(module: Module, name: string): ProgramWork {
  const mesh = meshAxesOf(module)
  const devices = devicesOf(module)
  const operations: ProgramOperation[] = []
  const axes = new Map<Value, ValueAxes>()
  const loops = new Set<Operation>()
  const func = module.functions.get(name)
  func?.body.blocks[0]?.arguments.forEach((value, i) => {
    const given = readAxes(func.argumentAttributes[i]?.['sdy.sharding'], mesh)
    if (given !== undefined) axes.set(value, given)
  })
  walkProgram(module, name, {
    operation(op, times, perDevice) {
      if (perDevice === 1) follow(op)
      if (isContainer(op) || op.name.endsWith('.constant')) return
      const found = productOf(op)
      const split = perDevice === 1 ? splitOf(op) : whole
      operations.push({
        kind: op.name.replace(/^\w+\./, ''),
        site: siteOf(op.location) ?? null,
        runs: times,
        flops: flopsOf(op),
        bytes: sum([...op.operands, ...op.results].map(({ type }) => bytesOf(type))),
        ...(found === undefined ? {} : { product: { ...found, split } }),
      })
    },
    alias(from, to) {
      from.forEach((value, i) => {
        const known = axes.get(value)
        const other = to[i]
        if (known !== undefined && other !== undefined) axes.set(other, known)
      })
    },
    unknownLoop: (op) => loops.add(op),
  })
  return {
    ...{ operations, devices, mesh: Object.fromEntries(mesh), unknownLoops: loops.size },
    values: valuesOf(module, name, mesh),
  }

  function follow(op: Operation): void {
    const said = /sharding_constraint$|reshard$/.test(op.name)
      ? readAxes(op.attributes['sharding'], mesh)
      : undefined
    const after = said ?? axesAfter(op, (value) => axes.get(value))
    if (after === undefined) return
    for (const result of op.results) axes.set(result, after)
  }

  function splitOf(op: Operation): ProductSplit | null {
    if (devices === 1) return whole
    const found =
      op.name === 'stablehlo.dot_general' ? productAxes(op, (value) => axes.get(value)) : undefined
    if (found === undefined) return null
    const ways = (all: readonly DimensionAxes[]): number => product(all.map(waysOf))
    return { batch: ways(found.batch), m: ways(found.m), k: ways(found.k), n: ways(found.n) }
  }
}

const whole: ProductSplit = { batch: 1, m: 1, k: 1, n: 1 }

const sizesOf = (type: Type): readonly number[] =>
  type.kind === 'tensor' ? type.shape.map((size) => size ?? 1) : []

/** The product that an operation is; undefined where it is none, or is empty. */
function productOf(op: Operation): Omit<ProgramProduct, 'split'> | undefined {
  const sizes =
    op.name === 'stablehlo.dot_general' || op.name === 'stablehlo.dot'
      ? dotSizes(op)
      : op.name === 'stablehlo.convolution'
        ? convolutionSizes(op)
        : undefined
  if (sizes === undefined || Object.values(sizes).some((size) => size < 1)) return undefined
  const [lhs, rhs] = op.operands.map(({ type }) => (type.kind === 'tensor' ? type.element : ''))
  return { ...sizes, ...arithmeticOf(op, lhs ?? '', rhs ?? '') }
}

type Sizes = Readonly<Record<'batch' | 'm' | 'k' | 'n', number>>

function dotSizes({ operands, attributes }: Operation): Sizes {
  const [lhs, rhs] = operands.map(({ type }) => sizesOf(type)) as [readonly number[], readonly number[]]
  const numbers = attributes['dot_dimension_numbers']
  const entries = numbers?.kind === 'dialect' ? numbers.entries : undefined
  const places = (name: string, plain: readonly number[]): readonly number[] =>
    entries === undefined ? plain : integersOf(entries[name])
  const batching = [places('lhs_batching_dimensions', []), places('rhs_batching_dimensions', [])] as const
  const terms = [
    places('lhs_contracting_dimensions', [lhs.length - 1]),
    places('rhs_contracting_dimensions', [0]),
  ] as const
  const over = (sizes: readonly number[], list: readonly number[]): number =>
    product(list.map((place) => sizes[place] ?? 1))
  const rest = (sizes: readonly number[], ...lists: readonly (readonly number[])[]): number =>
    product(sizes.filter((_, place) => !lists.some((list) => list.includes(place))))
  return {
    batch: over(lhs, batching[0]),
    m: rest(lhs, batching[0], terms[0]),
    k: over(lhs, terms[0]),
    n: rest(rhs, batching[1], terms[1]),
  }
}

/** A convolution as a product: positions by terms of a window by channels, for each of its groups. */
function convolutionSizes({ operands, results, attributes }: Operation): Sizes {
  const kernel = sizesOf(operands[1]!.type)
  const numbers = attributes['dimension_numbers']
  const entries = numbers?.kind === 'dialect' ? numbers.entries : undefined
  const [place] = integersOf(entries?.['kernel_output_feature_dimension'])
  const features = place === undefined ? 1 : (kernel[place] ?? 1)
  const [groups = 1] = integersOf(attributes['feature_group_count'])
  return {
    batch: groups,
    m: product(sizesOf(results[0]!.type)) / features,
    k: product(kernel) / features,
    n: features / groups,
  }
}

/** What the matrix units multiply, and in how many passes. */
function arithmeticOf(
  { attributes }: Operation,
  lhs: string,
  rhs: string,
): { readonly dtype: PeakDType; readonly passes: number } {
  const algorithm = attributes['algorithm']
  const asked =
    algorithm?.kind === 'dialect' ? /num_primitive_operations\s*=\s*(\d+)/.exec(algorithm.text) : null
  if (asked) return { dtype: 'bfloat16', passes: Number(asked[1]) }
  const both = (pattern: RegExp): boolean => pattern.test(lhs) && pattern.test(rhs)
  if (both(/^f8E5M2/)) return { dtype: 'float8_e5m2', passes: 1 }
  if (both(/^f[468]E/)) return { dtype: 'float8_e4m3fn', passes: 1 }
  if (both(/^u?i[248]$/)) return { dtype: 'int8', passes: 1 }
  const wide = [lhs, rhs].some((element) => /^(f64|f32|complex)/.test(element))
  return { dtype: 'bfloat16', passes: wide ? passesOf(attributes['precision_config']) : 1 }
}

/** jax.lax.Precision on a TPU: one pass of bfloat16, three, or six. */
function passesOf(precision: Operation['attributes'][string] | undefined): number {
  const words = precision?.kind === 'array' ? precision.values : []
  const levels = words.map((word) => (word.kind === 'dialect' ? word.text : ''))
  if (levels.includes('HIGHEST')) return 6
  return levels.includes('HIGH') ? 3 : 1
}

/** Arguments and results with what one device holds of each. */
function valuesOf(module: Module, name: string, mesh: ReadonlyMap<string, number>): SplitValue[] {
  const func = module.functions.get(name)
  if (func === undefined) return []
  const [block] = func.body.blocks
  const named = [
    ...func.type.inputs.map((type, i) => {
      const value = block?.arguments[i]
      const location = value?.location
      const label = location?.kind === 'name' ? location.name : (value?.name ?? `argument ${i}`)
      return [label, type, func.argumentAttributes[i]?.['sdy.sharding']] as const
    }),
    ...func.type.results.map((type, i) => {
      const info = func.resultAttributes[i]?.['jax.result_info']
      const label = info?.kind === 'string' && info.value !== '' ? info.value : `result ${i}`
      return [label, type, func.resultAttributes[i]?.['sdy.sharding']] as const
    }),
  ]
  return named.map(([label, type, sharding]) => {
    const shape = sizesOf(type)
    const axes = readAxes(sharding, mesh)
    const shardShape = shape.map((size, i) => Math.ceil(size / waysOf(axes?.[i])))
    const parts = product(shape) === 0 ? 1 : product(shardShape) / product(shape)
    return {
      ...{ name: label, shape, element: type.kind === 'tensor' ? type.element : '' },
      axes: axes === undefined ? null : axes.map((each) => each.map(({ axis }) => axis)),
      ...{ shardShape, bytesPerDevice: bytesOf(type) * parts },
    }
  })
}
