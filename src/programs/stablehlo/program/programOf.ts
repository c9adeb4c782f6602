import { checkOptions, checkRecord, noOptions, type OptionTable, shown } from '../../../base/options/index.js'
import { type DType, sameShape, Tensor } from '../../../tensors/tensor/index.js'
import type { Attributes, Func, Module } from '../module.js'
import { chosenFunction } from '../rewriting/chosenFunction.js'
import { rewrittenFunction } from '../rewriting/rewrittenFunction.js'
import { type StaticType, staticType } from '../values/elementType.js'
import { type SemanticsOptions, semanticsNames, semanticsOf } from '../values/semantics.js'
import { Complex, type Value } from '../values/value.js'
import { bindModule } from './bindModule.js'
import { namedValue } from './namedValue.js'

/** What goes into a program and comes out of it: a tensor, or of complex numbers the tensors of their parts. */
export type ProgramValue = Tensor | { readonly re: Tensor; readonly im: Tensor }

/** Options of programOf. */
export interface ProgramOptions extends SemanticsOptions {
  /** Which function of the module. Default 'main', or the only public one. */
  readonly function?: string
}

/** An argument or a result of a program. */
export interface ProgramParameter {
  /** As the caller's tree has it: `p['w0']`, `result[0]['b0']`; as the text has it where it does not say: `arg0`, `result0`. */
  readonly name: string
  /** Of complex numbers that of the parts. */
  readonly dtype: DType
  readonly isComplex: boolean
  /** -1 for a length of a result that is known only once it is computed. */
  readonly shape: readonly number[]
  /** What else the text says of it: `sdy.sharding`, `mhlo.sharding`, `tf.aliasing_output`. */
  readonly attributes: Attributes
}

/** A StableHLO program as functions of tensors. */
export interface Program {
  /** The function of the module. */
  readonly name: string
  readonly arguments: readonly ProgramParameter[]
  readonly results: readonly ProgramParameter[]
  /** What was taken where the specification leaves it open. */
  readonly semantics: Required<SemanticsOptions>
  /** The results, in order, for the arguments, in order. */
  run(...values: ProgramValue[]): ProgramValue[]
  /**
   * The results by their names, for a record of the arguments by theirs: under the whole name (`"p['w0']"`), or as the tree that
   * the caller had (`{ p: { w0 } }`). What the program does not read may be there too.
   */
  runNamed(values: ArgumentTree): Record<string, ProgramValue>
}

/** Arguments by name, nested as the caller's tree was. */
export interface ArgumentTree {
  readonly [name: string]: ArgumentTree | readonly ArgumentTree[] | ProgramValue | undefined
}

const names: OptionTable<ProgramOptions> = { function: 'optional', ...semanticsNames }

/**
 * A parsed module as functions of our tensors, made of our own operations: `compile`, `grad`, `vmap`, `shadow`, `certify`, `tune`,
 * `findFirstNonFinite` and `profile` work on them as on any other, and each operation has the source line of the program that was
 * lowered.
 *
 * Dtype     as the text says; complex numbers are pairs of real tensors, and go in and out as `{ re, im }`.
 * Rounding  each operation once, to its own dtype, as the specification has it; products add in float32 (float64 of float64). Where
 *           an implementation may choose, the options say what is taken.
 * Special   maximum and minimum: NaN wins, -0 < +0. Floats become integers by truncation, held to their range, NaN 0.
 * Gradient  that of our operations; one without, such as a cast to integers, throws where it is asked for.
 * Devices   what shard_map lowers to runs on the devices of its mesh, in step, in the order of the group where values are joined; a
 *           collective operation outside of it is one among a single device.
 * Throws    RangeError and TypeError with the operation and its source line: for arguments of dynamic shape, quantized types and foreign
 *           calls before anything runs, and for what does not fit while it runs. Shapes that are operands have to be known then.
 * Cost      every operation is read once. A `while` runs as often as its condition holds; where values are not known yet (`compile`,
 *           `vmap`) the number of rounds must follow from constants, and the loop is one `scan`.
 * Source    openxla/stablehlo, docs/spec.md.
 *
 * @example const text = 'func.func @main(%x: tensor<2xf32> loc("x")) -> tensor<2xf32> { %0 = stablehlo.add %x, %x : tensor<2xf32> return %0 : tensor<2xf32> }'
 * const program = programOf(parse(text))
 * program.run(tensor([1, 2]))[0].toNested() // [2, 4]
 * program.runNamed({ x: tensor([1, 2]) }).result0.toNested() // [2, 4]
 * program.run(tensor([1])) // throws programOf: argument x has another shape [1, not 2]
 */
export function programOf(module: Module, options: ProgramOptions = noOptions): Program {
  checkRecord('programOf', 'module', module, ['functions'])
  checkOptions('programOf', options, names, { positional: 'function' })
  if (!(module.functions instanceof Map)) {
    throw new TypeError(
      `programOf: functions of the module are not a Map, parse(text) makes one [${shown(module.functions)}]`,
    )
  }
  const semantics = semanticsOf(options)
  const func = chosenFunction('programOf', module, options.function)
  const inputs = func.type.inputs.map((_, i) => argumentOf(func, i))
  const outputs = func.type.results.map((_, i) => resultOf(func, i))
  const argumentNames = distinct(inputs.map(({ name }) => name))
  const resultNames = distinct(outputs.map(({ name }) => name))
  const call = bindModule(rewritten(module, func, semantics), semantics)(func.name)
  const run = (...values: ProgramValue[]): ProgramValue[] => {
    if (values.length !== inputs.length) {
      throw new RangeError(`programOf: ${func.name} takes ${inputs.length} arguments [${values.length}]`)
    }
    return call(values.map((value, i) => taken(value, inputs[i]!, argumentNames[i]!))).map(given)
  }
  return {
    name: func.name,
    arguments: inputs.map((each, i) => ({ ...each, name: argumentNames[i]! })),
    results: outputs.map((each, i) => ({ ...each, name: resultNames[i]! })),
    semantics,
    run,
    runNamed: (values) => {
      checkRecord('programOf', 'values', values)
      const results = run(...argumentNames.map((name) => namedValue(values, name) as ProgramValue))
      return Object.fromEntries(results.map((value, i) => [resultNames[i]!, value]))
    },
  }
}

/** The module with its function as the options have it computed. */
function rewritten(module: Module, func: Func, semantics: Required<SemanticsOptions>): Module {
  try {
    const own = rewrittenFunction(module, func, semantics)
    return own === func ? module : { ...module, functions: new Map(module.functions).set(func.name, own) }
  } catch (error) {
    throw new RangeError(`programOf: ${(error as Error).message}`)
  }
}

type Parameter = ProgramParameter & { readonly type: StaticType | undefined }

function parameter(name: string, type: Func['type']['inputs'][number], attributes: Attributes): Parameter {
  // A token goes in and out as it is.
  if (type.kind === 'named') {
    return { name, dtype: 'bool', isComplex: false, shape: [0], attributes, type: undefined }
  }
  try {
    const known = staticType(type)
    return {
      name,
      dtype: known.dtype,
      isComplex: known.isComplex,
      shape: known.shape,
      attributes,
      type: known,
    }
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    const text = `programOf: ${name} ${problem}`
    throw error instanceof TypeError ? new TypeError(text) : new RangeError(text)
  }
}

function argumentOf(func: Func, index: number): Parameter {
  const value = func.body.blocks[0]?.arguments[index]
  const { location } = value ?? {}
  const name = location?.kind === 'name' ? location.name : (value?.name ?? `arg${index}`)
  return parameter(name, func.type.inputs[index]!, func.argumentAttributes[index] ?? {})
}

function resultOf(func: Func, index: number): Parameter {
  const attributes = func.resultAttributes[index] ?? {}
  const info = Object.hasOwn(attributes, 'jax.result_info') ? attributes['jax.result_info'] : undefined
  const name = info?.kind === 'string' && info.value !== '' ? info.value : `result${index}`
  const type = func.type.results[index]!
  if (type.kind !== 'tensor' || !type.shape.includes(undefined)) return parameter(name, type, attributes)
  const known = parameter(name, { ...type, shape: [] }, attributes)
  return { ...known, shape: type.shape.map((length) => length ?? -1) }
}

/** Names that two share get their number. */
function distinct(given: readonly string[]): string[] {
  return given.map((name, i) =>
    given.indexOf(name) === i && given.lastIndexOf(name) === i ? name : `${name}#${i}`,
  )
}

/** An argument as a value, checked. */
function taken(
  value: ProgramValue | undefined,
  { type, shape, dtype, isComplex }: Parameter,
  name: string,
): Value {
  if (!type) return undefined
  const parts =
    isComplex && !(value instanceof Tensor) && typeof value === 'object' && value !== null
      ? [value.re, value.im]
      : [value]
  if (isComplex !== (parts.length === 2) || !parts.every((part) => part instanceof Tensor)) {
    const wanted = isComplex ? 'a pair { re, im } of tensors' : 'a tensor'
    throw new TypeError(`programOf: argument ${name} is not ${wanted} [${shown(value)}]`)
  }
  for (const part of parts as Tensor[]) {
    if (part.dtype !== dtype) {
      throw new TypeError(`programOf: argument ${name} has another dtype [${part.dtype}, not ${dtype}]`)
    }
    if (!sameShape(part.shape, shape)) {
      throw new RangeError(
        `programOf: argument ${name} has another shape [${part.shape.join(', ')}, not ${shape.join(', ')}]`,
      )
    }
  }
  return isComplex ? new Complex(parts[0] as Tensor, parts[1] as Tensor) : (value as Tensor)
}

function given(value: Value): ProgramValue {
  if (value instanceof Complex) return { re: value.re, im: value.im }
  return value as Tensor
}
