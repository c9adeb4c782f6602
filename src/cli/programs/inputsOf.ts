import { terminalText } from '../../base/text/index.js'
import type { Program, ProgramParameter, ProgramValue } from '../../programs/stablehlo/index.js'
import { foldIn, key, normal, randint } from '../../tensors/random/index.js'
import { cast, type DType, isFloat, Tensor, tensor } from '../../tensors/tensor/index.js'
import { readNpy, readNpz, readSafetensors } from '../../training/files/index.js'
import { BadInput } from '../io/badInput.js'
import { readInteger } from '../io/readNumber.js'
import { openAxis } from './readOnnxProgram.js'

/** Values of a program's arguments, and which of them were drawn. */
export interface DrawnInputs {
  readonly inputs: Readonly<Record<string, ProgramValue>>
  /** Names of arguments that no file gave. */
  readonly drawn: readonly string[]
}

/** What a file holds under a name. */
interface Stored {
  readonly dtype: string
  readonly shape: readonly number[]
  readonly data: ArrayLike<number> | ArrayLike<bigint>
}

/**
 * The arguments of a program from a file of named arrays, the rest drawn where a key is given: floats from the standard normal
 * distribution, integers 0 or 1, which is an index of whatever there is.
 */
export function inputsOf(
  program: Program,
  path: string | undefined,
  random: string | undefined,
): DrawnInputs {
  const stored = path === undefined ? {} : fileOf(path, program)
  const seed = random === undefined ? undefined : readInteger('random', random, 0, 2 ** 32 - 1)
  const drawn: string[] = []
  const missing: string[] = []
  const inputs = program.arguments.map((argument, i): readonly [string, ProgramValue | undefined] => {
    const found = named(stored, argument, i)
    if (found !== undefined) return [argument.name, fitted(argument, found)]
    if (seed === undefined) missing.push(argument.name)
    else drawn.push(argument.name)
    return [argument.name, seed === undefined ? undefined : draw(argument, seed, i)]
  })
  if (missing.length > 0) {
    const names = `${missing.slice(0, 4).join(', ')}${missing.length > 4 ? ` and ${missing.length - 4} more` : ''}`
    const has = Object.keys(stored)
    const advice =
      path === undefined
        ? 'name a file of them with --inputs, or have them drawn with --random 0'
        : `the file has ${has.slice(0, 6).map(terminalText).join(', ')}${has.length > 6 ? ' ...' : ''}; --random 0 draws them`
    throw new BadInput(`no value for ${names}: ${advice}`)
  }
  return { inputs: Object.fromEntries(inputs) as Record<string, ProgramValue>, drawn }
}

function fileOf(path: string, { arguments: all }: Program): Readonly<Record<string, Stored>> {
  try {
    if (path.endsWith('.safetensors')) return readSafetensors(path, { integers: 'bigint' }).tensors
    if (path.endsWith('.npz')) return readNpz(path, { integers: 'bigint' })
    if (path.endsWith('.npy') && all.length === 1) {
      return { [all[0]!.name]: readNpy(path, { integers: 'bigint' }) }
    }
  } catch (thrown) {
    if (
      thrown instanceof RangeError ||
      thrown instanceof TypeError ||
      (thrown instanceof Error && 'syscall' in thrown)
    ) {
      throw new BadInput(`cannot read ${terminalText(path)} [${terminalText(thrown.message)}]`)
    }
    throw thrown
  }
  throw new BadInput(
    path.endsWith('.npy')
      ? `an .npy file has one array, the program takes ${all.length}: write an .npz [${terminalText(path)}]`
      : `inputs are a .safetensors, .npz or .npy file [${terminalText(path)}]`,
  )
}

/** The array of an argument: under its name, its path with dots or slashes, its place as `arg0` or, from numpy.savez, `arr_0`. */
function named(
  stored: Readonly<Record<string, Stored>>,
  { name }: ProgramParameter,
  i: number,
): Stored | undefined {
  const steps = [...name.matchAll(/\[['"]?([^\]'"]*)['"]?\]|\.?([^.[\]]+)/g)].map(([, a, b]) => a ?? b ?? '')
  const names = [name, steps.join('.'), steps.join('/'), `arg${i}`, `arr_${i}`]
  const found = names.find((each) => Object.hasOwn(stored, each))
  return found === undefined ? undefined : stored[found]
}

function fitted({ name, dtype, shape, isComplex }: ProgramParameter, found: Stored): ProgramValue {
  if (isComplex) {
    throw new BadInput(
      `${name} is complex, which no file of ours holds: make it of two arrays in the program`,
    )
  }
  const places = `[${found.shape.join(', ')}]`
  if (
    found.shape.length !== shape.length ||
    found.shape.some((length, axis) => shape[axis] !== openAxis && length !== shape[axis])
  ) {
    const wanted = shape.map((length) => (length === openAxis ? '?' : length)).join(', ')
    throw new BadInput(`${name} has shape [${wanted}], the file has ${places}`)
  }
  if (found instanceof Tensor && found.dtype === dtype) return found
  // Files hold integers that are none of the program's width, never a float for another.
  if (isFloat(dtype) || (found instanceof Tensor && isFloat(found.dtype))) {
    throw new BadInput(`${name} is ${dtype}, the file has ${found.dtype}: write it in the program's dtype`)
  }
  try {
    const values = Array.from(found.data as ArrayLike<number>)
    return tensor(values, { dtype, shape: [...found.shape] })
  } catch (thrown) {
    throw new BadInput(`${name} is ${dtype}, the file has ${found.dtype} [${(thrown as Error).message}]`)
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
