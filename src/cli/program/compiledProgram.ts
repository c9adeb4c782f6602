import type { Program, ProgramValue } from '../../programs/stablehlo/index.js'
import { type Compiled, compile } from '../../tensors/compile/index.js'

type Values = Readonly<Record<string, ProgramValue>>

/** A program's named results for its named arguments, compiled. */
export type CompiledProgram = Compiled<[Values], Record<string, ProgramValue>>

/**
 * A program compiled and run once; undefined where it cannot be: where what runs depends on values, as in a loop with a condition on
 * its results.
 */
export function compiledProgram(program: Program, inputs: Values): CompiledProgram | undefined {
  const compiled = compile((values: Values) => program.runNamed(values)) as CompiledProgram
  try {
    compiled(inputs)
    return compiled
  } catch (thrown) {
    if (thrown instanceof TypeError && /not known/.test(thrown.message)) return undefined
    throw thrown
  }
}
