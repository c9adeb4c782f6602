import type { Block, ElementType, Operation, Region, TensorType, Value } from '../module.js'

/** What makes each value of a block, and which operations of the block read it. */
export interface Uses {
  readonly makers: ReadonlyMap<Value, Operation>
  readonly users: ReadonlyMap<Value, readonly Operation[]>
  /** Values that operations inside of regions read. */
  readonly captured: ReadonlySet<Value>
}

/** The makers and users of the values of one block; operations inside of regions are not among them. */
export function usesOf({ operations }: Block): Uses {
  const makers = new Map<Value, Operation>()
  const users = new Map<Value, Operation[]>()
  const captured = new Set<Value>()
  for (const op of operations) {
    for (const region of op.regions) capture(region, captured)
    for (const result of op.results) makers.set(result, op)
    for (const operand of new Set(op.operands)) {
      const known = users.get(operand)
      if (known) known.push(op)
      else users.set(operand, [op])
    }
  }
  return { makers, users, captured }
}

function capture({ blocks }: Region, captured: Set<Value>): void {
  for (const { operations } of blocks) {
    for (const { operands, regions } of operations) {
      for (const operand of operands) captured.add(operand)
      for (const region of regions) capture(region, captured)
    }
  }
}

/** The static tensor type of a value; undefined for every other. */
export function tensorType({
  type,
}: Value): (TensorType & { readonly shape: readonly number[] }) | undefined {
  return type.kind === 'tensor' && type.shape.every((length) => length !== undefined)
    ? (type as TensorType & { readonly shape: readonly number[] })
    : undefined
}

/** A new value of a shape, named after another. */
export function valueLike(
  { name, type }: Value,
  element: ElementType,
  shape: TensorType['shape'] = type.kind === 'tensor' ? type.shape : [],
): Value {
  return { name, type: { kind: 'tensor', shape, element } }
}

/** An operation without attributes or regions at the place of another. */
export function operationAt(
  { location, position }: Operation,
  name: string,
  operands: readonly Value[],
  result: Value,
  attributes: Operation['attributes'] = {},
): Operation {
  return { name, operands, results: [result], attributes, regions: [], location, position }
}

/** A cast at the place of another operation, and its result. */
export function convertAt(at: Operation, from: Value, element: ElementType): readonly [Operation, Value] {
  const to = valueLike(from, element)
  return [operationAt(at, 'stablehlo.convert', [from], to), to]
}

/** Regions whose scalars are lifted to whole tensors: what is done with a scalar there is part of one operation. */
const reducing: ReadonlySet<string> = new Set(
  ['reduce', 'reduce_window', 'select_and_scatter', 'scatter', 'sort', 'map', 'all_reduce'].map(
    (name) => `stablehlo.${name}`,
  ),
)

/** A region with each block, and those inside of it, made anew; regions of reductions stay as they are. */
export function eachBlock(region: Region, change: (block: Block) => Block): Region {
  return {
    blocks: region.blocks.map((block) => {
      const operations = block.operations.map((op) =>
        op.regions.length === 0 || reducing.has(op.name)
          ? op
          : { ...op, regions: op.regions.map((inner) => eachBlock(inner, change)) },
      )
      return change({ ...block, operations })
    }),
  }
}
