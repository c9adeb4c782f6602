import { foldIn, key, normal, randint } from '../../tensors/random/index.js'
import { cast, type DType, isFloat, Tensor, tensor } from '../../tensors/tensor/index.js'
import type { Program, ProgramParameter, ProgramValue } from '../stablehlo/index.js'
import { openAxis } from './onnxProgram.js'

/** What a file holds under a name. */
export interface StoredArray {
  readonly dtype: string
  readonly shape: readonly number[]
  readonly data: ArrayLike<number> | ArrayLike<bigint>
}

/** Values of a program's arguments: of those that were given, those that were drawn and those that have none. */
export interface FedInputs {
  readonly inputs: Readonly<Record<string, ProgramValue>>
  /** Names of arguments that were drawn. */
  readonly drawn: readonly string[]
  /** Names of arguments without a value. */
  readonly missing: readonly string[]
}

/**
 * The arguments of a program from named arrays, the rest drawn where a seed is given: floats from the standard normal distribution, integers
 * 0 or 1, which is an index of whatever there is.
 *
 * Throws    RangeError for an array of another shape or dtype than its argument.
 */
export function inputsFrom(
  program: Program,
  stored: Readonly<Record<string, StoredArray>>,
  seed: number | undefined,
): FedInputs {
  const drawn: string[] = []
  const missing: string[] = []
  const inputs: Record<string, ProgramValue> = {}
  for (const [i, argument] of program.arguments.entries()) {
    const found = named(stored, argument, i)
    if (found !== undefined) {
      inputs[argument.name] = fitted(argument, found)
    } else if (seed === undefined) {
      missing.push(argument.name)
    } else {
      drawn.push(argument.name)
      inputs[argument.name] = draw(argument, seed, i)
    }
  }
  return { inputs, drawn, missing }
}

/** The array of an argument: under its name, its path with dots or slashes, its place as `arg0` or, from numpy.savez, `arr_0`. */
function named(
  stored: Readonly<Record<string, StoredArray>>,
  { name }: ProgramParameter,
  i: number,
): StoredArray | undefined {
  const steps = [...name.matchAll(/\[['"]?([^\]'"]*)['"]?\]|\.?([^.[\]]+)/g)].map(([, a, b]) => a ?? b ?? '')
  const names = [name, steps.join('.'), steps.join('/'), `arg${i}`, `arr_${i}`]
  const found = names.find((each) => Object.hasOwn(stored, each))
  return found === undefined ? undefined : stored[found]
}

function fitted({ name, dtype, shape, isComplex }: ProgramParameter, found: StoredArray): ProgramValue {
  if (isComplex) {
    throw new RangeError(
      `inputsFrom: ${name} is complex, which no file of ours holds: make it of two arrays in the program`,
    )
  }
  const places = `[${found.shape.join(', ')}]`
  if (
    found.shape.length !== shape.length ||
    found.shape.some((length, axis) => shape[axis] !== openAxis && length !== shape[axis])
  ) {
    const wanted = shape.map((length) => (length === openAxis ? '?' : length)).join(', ')
    throw new RangeError(`inputsFrom: ${name} has shape [${wanted}], the file has ${places}`)
  }
  if (found instanceof Tensor && found.dtype === dtype) return found
  // Files hold integers that are none of the program's width, never a float for another.
  if (isFloat(dtype) || (found instanceof Tensor && isFloat(found.dtype))) {
    throw new RangeError(
      `inputsFrom: ${name} is ${dtype}, the file has ${found.dtype}: write it in the program's dtype`,
    )
  }
  try {
    const values = Array.from(found.data as ArrayLike<number>)
    return tensor(values, { dtype, shape: [...found.shape] })
  } catch (thrown) {
    throw new RangeError(
      `inputsFrom: ${name} is ${dtype}, the file has ${found.dtype} [${(thrown as Error).message}]`,
    )
  }
}

function draw(
  { dtype, shape: declared, isComplex }: ProgramParameter,
  seed: number,
  i: number,
): ProgramValue {
  // An axis that the model leaves open is drawn with one element.
  const shape = declared.map((length) => (length === openAxis ? 1 : length))
  const own = foldIn(key(seed), i)
  const part = (which: number): Tensor => drawOf(dtype, shape, foldIn(own, which))
  return isComplex ? { re: part(0), im: part(1) } : drawOf(dtype, shape, own)
}

function drawOf(dtype: DType, shape: readonly number[], own: ReturnType<typeof key>): Tensor {
  if (isFloat(dtype)) {
    const direct = dtype === 'float32' || dtype === 'bfloat16' || dtype === 'float16'
    return direct ? normal(own, shape, { dtype }) : cast(normal(own, shape), dtype)
  }
  return cast(randint(own, shape, { maxval: 2 }), dtype)
}
