import type { Attribute, Block, DenseElementsAttribute, Func, Operation, Value } from 'tpu-toolkit/stablehlo'

// The checks that openxla/stablehlo's own files make of themselves, and a function without them that returns what they look at.

/** When two tensors pass: see stablehlo/tests/CheckOps.cpp and stablehlo/tools/StablehloTranslateMain.cpp of openxla/stablehlo. */
export type Check =
  /** Equal numbers: a NaN equals nothing, both zeros are equal. */
  | { readonly kind: 'equal' }
  /** Of one sign, |a - b| at most the tolerance; NaN equals NaN. */
  | { readonly kind: 'near'; readonly tolerance: number }
  /** Steps between the two within bounds; NaN equals NaN, of Inf and another value there are 2^64 - 1. */
  | { readonly kind: 'steps'; readonly least: bigint; readonly most: bigint }

export interface CheckedPair {
  readonly check: Check
  /** Where the values stand among what the function returns. */
  readonly actual: number
  /** A place likewise, or what the check itself says. */
  readonly expected: number | DenseElementsAttribute
  readonly op: Operation
}

/** Operations that only test how a tool prints or writes: nothing is checked by them. */
const silent: ReadonlySet<string> = new Set([
  'interpreter.print',
  'interpreter.probe',
  'check.expect_serialized_eq',
])

const mostSteps = 2n ** 64n - 1n

/** A function whose body makes checks, as one that returns what they look at; and the checks. */
export function withoutChecks(func: Func): { readonly func: Func; readonly pairs: readonly CheckedPair[] } {
  const [block] = func.body.blocks
  if (!block) throw new RangeError(`has no block [@${func.name}]`)
  const returned: Value[] = []
  const place = (value: Value): number => {
    const at = returned.indexOf(value)
    return at < 0 ? returned.push(value) - 1 : at
  }
  const pairs: CheckedPair[] = []
  const kept: Operation[] = []
  for (const op of block.operations.slice(0, -1)) {
    const check = checkOf(op)
    if (check) {
      const [actual, expected] = op.operands
      if (!actual) throw new RangeError(`checks nothing [${op.name}]`)
      pairs.push({
        check,
        actual: place(actual),
        expected: expected ? place(expected) : constantOf(op),
        op,
      })
    } else if (!silent.has(op.name)) {
      kept.push(op)
    }
  }
  const last = block.operations.at(-1)
  if (!last) throw new RangeError(`has no return [@${func.name}]`)
  const operations = [...kept, { ...last, operands: returned }]
  const results = returned.map(({ type }) => type)
  const body: Block = { arguments: block.arguments, operations }
  return {
    func: {
      ...func,
      type: { ...func.type, results },
      body: { blocks: [body] },
      resultAttributes: results.map(() => ({})),
    },
    pairs,
  }
}

function checkOf(op: Operation): Check | undefined {
  if (op.name === 'stablehlo.custom_call') return customCheck(op)
  const name = op.name.replace(/_const$/, '')
  if (name === 'check.expect_eq' || name === 'check.eq') return { kind: 'equal' }
  if (name === 'check.expect_almost_eq' || name === 'check.almost_eq') {
    return { kind: 'near', tolerance: Number(numberOf(op.attributes['tolerance']) ?? 1e-4) }
  }
  if (name === 'check.expect_close') {
    return {
      kind: 'steps',
      least: steps(op.attributes['min_ulp_difference'], 0n),
      most: steps(op.attributes['max_ulp_difference'], 3n),
    }
  }
  return undefined
}

function customCheck({ attributes, operands }: Operation): Check | undefined {
  const target = attributes['call_target_name']
  const name = target?.kind === 'string' ? target.value : target?.kind === 'symbol' ? target.name : ''
  if (name === 'check.expect_eq') return { kind: 'equal' }
  if (name === 'check.expect_almost_eq') return { kind: 'near', tolerance: 1e-3 }
  if (name === 'check.expect_close') return { kind: 'steps', least: 0n, most: 3n }
  if (name !== 'check.eq') return undefined
  const type = operands[1]?.type
  const isInteger = type?.kind === 'tensor' && /^u?i\d+$/.test(type.element)
  return isInteger ? { kind: 'equal' } : { kind: 'near', tolerance: 1e-4 }
}

function constantOf({ name, attributes }: Operation): DenseElementsAttribute {
  const value = attributes['value']
  if (value?.kind === 'denseElements') return value
  throw new RangeError(`has no value [${name}]`)
}

function numberOf(attribute: Attribute | undefined): number | bigint | undefined {
  return attribute?.kind === 'float' || attribute?.kind === 'integer' ? attribute.value : undefined
}

function steps(attribute: Attribute | undefined, fallback: bigint): bigint {
  const value = numberOf(attribute)
  if (value === undefined) return fallback
  const whole = BigInt(value)
  // A ui64 may have been read as an i64.
  return whole < 0n ? whole + mostSteps + 1n : whole
}
