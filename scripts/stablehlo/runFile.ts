import {
  type Func,
  type Module,
  type ProgramValue,
  parse,
  programOf,
  type SemanticsOptions,
  type TensorType,
  type Type,
} from 'tpu-toolkit/stablehlo'
import { Tensor } from 'tpu-toolkit/tensor'
import { type CheckedPair, withoutChecks } from './checks.js'
import { elementFacts } from './elements.js'
import { judge } from './judge.js'
import { type arrayType, bytesOfValue, whole } from './values.js'

/** What became of one function, or of a part of a file that could not be read. */
export interface Outcome {
  /** `@main`, behind the number of its part where a file has several. */
  readonly name: string
  readonly kind: 'passed' | 'failed' | 'refused' | 'nothing'
  /** Why, where it is not passed. */
  readonly reason: string
}

/**
 * Runs every function without arguments of a file of openxla/stablehlo that makes checks: `main` alone where there is one, since it calls the
 * others. Parts between lines `// -----` are modules of their own. An error is a refusal, a check that does not hold a failure.
 */
export function runFile(text: string): readonly Outcome[] {
  const parts = text.split(/^\s*\/\/ -----.*$/m)
  return parts.flatMap((part, i) => {
    const prefix = parts.length > 1 ? `${i + 1} ` : ''
    try {
      return runModule(parse(part), prefix)
    } catch (thrown) {
      return refusal(`${prefix}text`, thrown)
    }
  })
}

function runModule(module: Module, prefix: string): readonly Outcome[] {
  const without = [...module.functions.values()].filter(({ type }) => type.inputs.length === 0)
  const main = without.find(({ name }) => name === 'main')
  const outcomes = (main ? [main] : without).flatMap((func) => {
    const name = `${prefix}@${func.name}`
    try {
      return runFunction(module, func, name)
    } catch (thrown) {
      return refusal(name, thrown)
    }
  })
  return outcomes.length > 0 ? outcomes : [{ name: `${prefix}text`, kind: 'nothing', reason: 'no checks' }]
}

function runFunction(module: Module, given: Func, name: string): readonly Outcome[] {
  const { func, pairs } = withoutChecks(given)
  if (pairs.length === 0) return []
  const functions = new Map(module.functions).set(func.name, func)
  let first: Outcome | undefined
  for (const semantics of allowed) {
    const program = programOf({ ...module, functions }, { function: func.name, ...semantics })
    const outcome = judged(func, pairs, program.run(), name)
    if (outcome.kind === 'passed') return [outcome]
    first ??= outcome
  }
  return first ? [first] : []
}

/**
 * What the specification leaves open, as its reference interpreter has it and as XLA has it, which made the expected results of
 * stablehlo/testdata: a function passes where one of them passes.
 */
const allowed: readonly SemanticsOptions[] = [
  { dot: 'operands', divideByZero: 'zero' },
  { dot: 'float32', divideByZero: 'xla' },
  { dot: 'float32', divideByZero: 'xla', reduce: 'xla-cpu' },
]

function judged(
  func: Func,
  pairs: readonly CheckedPair[],
  results: readonly ProgramValue[],
  name: string,
): Outcome {
  const types = func.type.results.map((type, i) => tensorType(type, results[i]!))
  for (const pair of pairs) {
    const type = types[pair.actual]!
    const wanted =
      typeof pair.expected === 'number'
        ? bytesOfValue(results[pair.expected]!)
        : whole(type, pair.expected.bytes, pair.expected.splat)
    const problem = judge(type.facts, pair.check, bytesOfValue(results[pair.actual]!), wanted)
    if (problem) return { name, kind: 'failed', reason: `${placeOf(pair)}: ${problem}` }
  }
  return { name, kind: 'passed', reason: '' }
}

function tensorType(type: Type, value: ProgramValue): ReturnType<typeof arrayType> {
  if (type.kind !== 'tensor') throw new TypeError(`checks no tensor [${type.kind}]`)
  return { shape: value instanceof Tensor ? value.shape : value.re.shape, facts: factsOf(type) }
}

function factsOf({ element }: TensorType): ReturnType<typeof arrayType>['facts'] {
  const facts = elementFacts(element)
  if (!facts) throw new TypeError(`has an element type that no tensor of ours has [${element}]`)
  return facts
}

function placeOf({ op }: CheckedPair): string {
  return `line ${op.position.line}, ${op.name}`
}

function refusal(name: string, thrown: unknown): readonly Outcome[] {
  if (!(thrown instanceof Error)) throw thrown
  const [reason = ''] = thrown.message.split('\n')
  return [{ name, kind: 'refused', reason: isOurs(thrown) ? reason : `${thrown.name}: ${reason}` }]
}

/** Errors of ours name their function first; another is a fault in the code. */
function isOurs({ message }: Error): boolean {
  return /^\w+: /.test(message)
}
