import { checkNumber, checkOptions, type OptionTable } from '../../base/options/index.js'
import { dtypeFacts, isFloat, Tensor } from '../../tensors/tensor/index.js'
import { checkIgnore, isIgnored } from '../program/isIgnored.js'
import { kindOf } from '../program/opKind.js'
import { type Operand, type Program, recorded } from '../program/program.js'
import { bitsApart } from '../reals/bitsOfError.js'
import { dtypeArithmetic } from '../replay/dtypeArithmetic.js'

/** An operation whose result is off, what was off before it left out. */
export interface Fault {
  /** Number of the step. */
  readonly step: number
  readonly op: string
  readonly site: string | undefined
  /** In how many elements, and the one that is off most, row-major. */
  readonly count: number
  readonly element: number
  readonly bits: number
  readonly computed: number
  readonly reference: number
}

/** What counts as a fault. */
export interface FaultOptions {
  /** Bits of the operation's dtype from which on an element is one. Default 5, as Herbgrind's. */
  readonly threshold?: number
  /** Source lines to leave out: `model.ts:12`, or a file. Default none. */
  readonly ignore?: readonly string[]
}

const faultNames: OptionTable<FaultOptions> = { threshold: 'optional', ignore: 'optional' }

/**
 * The operations at which a run beside float64 goes wrong, in the order of the run. After each, the reference continues from what
 * was computed, element by element, so that one fault is reported once and not at everything that reads it.
 *
 * Source    NumericalStabilitySanitizer resumes in this way: Courbet, NSan, doi:10.1145/3446804.3446848
 */
export function faultsOf(program: Program, options: FaultOptions): Fault[] {
  checkOptions('faults', options, faultNames)
  const { threshold = 5, ignore = [] } = options
  checkIgnore('faults', ignore)
  checkNumber('faults', 'threshold', threshold, 0)
  const arithmetic = dtypeArithmetic('float64')
  const values: Tensor[] = program.inputs.map(arithmetic.widen)
  const valueOf = (operand: Operand): Tensor =>
    typeof operand === 'number' ? values[operand]! : arithmetic.widen(operand)
  const faults: Fault[] = []
  for (const [i, step] of program.steps.entries()) {
    const own = arithmetic.widen(recorded(program, program.inputs.length + i))
    if (!isFloat(step.output.dtype) || kindOf(step.op) === 'decides') {
      values.push(own)
      continue
    }
    const beside = arithmetic.run(step, step.operands.map(valueOf))
    const [got, exact] = [own.toNumbers(), beside.toNumbers()]
    const facts = dtypeFacts(step.output.dtype)
    const resumed = Float64Array.from(exact)
    let [count, element, bits] = [0, -1, 0]
    for (let k = 0; k < got.length; k++) {
      const off = bitsApart(got[k]!, exact[k]!, facts)
      if (off < threshold || off === 0) continue
      count++
      resumed[k] = got[k]!
      if (off > bits) [element, bits] = [k, off]
    }
    values.push(count === 0 ? beside : new Tensor('float64', beside.shape, resumed))
    if (count > 0 && !isIgnored(step.site, ignore)) {
      faults.push({
        ...{ step: i, op: step.op.name, site: step.site, count, element, bits },
        ...{ computed: got[element]!, reference: exact[element]! },
      })
    }
  }
  return faults
}
