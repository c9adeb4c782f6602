import type { Attribute, Attributes, Module, Operation, Region, Value } from 'tpu-toolkit/stablehlo'

/** A parsed module as plain data: values by number in order of appearance, attributes by name, bytes as hex; locations, if asked. */
export function canonical(module: Module, { locations = true } = {}): unknown {
  const numbers = new Map<Value, number>()
  const numberOf = (value: Value): number => {
    if (!numbers.has(value)) numbers.set(value, numbers.size)
    return numbers.get(value)!
  }
  const valueOf = (value: Value): unknown => ({ number: numberOf(value), type: value.type })
  const operationOf = ({ name, operands, results, attributes, regions, location }: Operation): unknown => ({
    name,
    operands: operands.map(numberOf),
    results: results.map(valueOf),
    attributes: entriesOf(attributes),
    regions: regions.map(regionOf),
    ...(locations ? { location } : {}),
  })
  const regionOf = ({ blocks }: Region): unknown =>
    blocks.map((block) => ({
      arguments: block.arguments.map(valueOf),
      operations: block.operations.map(operationOf),
    }))
  const functions = [...module.functions.values()].map(({ body, position: _, location, ...func }) => ({
    ...func,
    attributes: entriesOf(func.attributes),
    argumentAttributes: func.argumentAttributes.map(entriesOf),
    resultAttributes: func.resultAttributes.map(entriesOf),
    ...(locations
      ? { location, argumentLocations: body.blocks[0]?.arguments.map(({ location }) => location) }
      : {}),
    body: regionOf(body),
  }))
  const { name, location } = module
  return {
    name,
    ...(locations ? { location } : {}),
    attributes: entriesOf(module.attributes),
    functions,
    operations: module.operations.map(operationOf),
  }
}

const entriesOf = (attributes: Attributes): unknown =>
  Object.fromEntries(
    Object.keys(attributes)
      .sort()
      .map((name) => [name, attributeOf(attributes[name]!)]),
  )

function attributeOf(attribute: Attribute): unknown {
  switch (attribute.kind) {
    case 'denseElements':
      return { ...attribute, bytes: Buffer.from(attribute.bytes).toString('hex') }
    case 'array':
      return attribute.values.map(attributeOf)
    case 'dictionary':
      return entriesOf(attribute.entries)
    case 'dialect':
      return attribute.entries === undefined
        ? attribute
        : { ...attribute, entries: entriesOf(attribute.entries) }
    default:
      return attribute
  }
}
