import { terminalText } from '../../base/text/index.js'
import { inputsFrom, type StoredArray } from '../../programs/feeding/index.js'
import type { Program, ProgramValue } from '../../programs/stablehlo/index.js'
import { readNpy, readNpz, readSafetensors } from '../../training/files/index.js'
import { BadInput, mistakesAsBadInput } from '../io/badInput.js'
import { readInteger } from '../io/readNumber.js'

/** Values of a program's arguments, and which of them were drawn. */
export interface DrawnInputs {
  readonly inputs: Readonly<Record<string, ProgramValue>>
  /** Names of arguments that no file gave. */
  readonly drawn: readonly string[]
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
  const { inputs, drawn, missing } = mistakesAsBadInput('inputsFrom', () => inputsFrom(program, stored, seed))
  if (missing.length > 0) {
    const names = `${missing.slice(0, 4).join(', ')}${missing.length > 4 ? ` and ${missing.length - 4} more` : ''}`
    const has = Object.keys(stored)
    const advice =
      path === undefined
        ? 'name a file of them with --inputs, or have them drawn with --random 0'
        : `the file has ${has.slice(0, 6).map(terminalText).join(', ')}${has.length > 6 ? ' ...' : ''}; --random 0 draws them`
    throw new BadInput(`no value for ${names}: ${advice}`)
  }
  return { inputs, drawn }
}

function fileOf(path: string, { arguments: all }: Program): Readonly<Record<string, StoredArray>> {
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
