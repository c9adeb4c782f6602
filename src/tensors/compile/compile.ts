import {
  checkFunction,
  checkInteger,
  checkName,
  checkOptions,
  noOptions,
  type OptionTable,
} from '../../base/options/index.js'
import {
  currentTimer,
  isSealed,
  isWatched,
  Tensor,
  type Timer,
  timedWork,
  untimed,
  type Work,
  withDeepStacks,
} from '../tensor/index.js'
import { type Machine, machine, threadedMachine } from './engine/machine.js'
import { mostThreads } from './engine/threadPool.js'
import { argument, type Graph, graphOf } from './graph/graph.js'
import { sameGraph } from './graph/sameGraph.js'
import { type Plan, type Profile, planOf, profileOf, type Stacks, stacksOf } from './plan.js'
import { Program } from './run/program.js'
import { describe, filled, matches, type Structure, sameStructure, structureOf } from './structure.js'

/** Options of compile. */
export interface CompileOptions {
  /** The arguments, by number, that are fixed: handed to f as they are, a program for each value. Default none. */
  readonly static?: number | readonly number[]
  /** The arguments whose tensors are given away: results of their dtype and shape are written into them. Default none. */
  readonly donate?: number | readonly number[]
  /**
   * Where bfloat16 is rounded. 'each': after every operation, as f does. 'fused': what XLA may make of it on TPU v4 to v6e, where
   * xla_allow_excess_precision is true: within a loop of `plan()` elementwise operations stay in float32, casts that f asks for
   * and what the loop stores are rounded. Default: 'each'.
   */
  readonly rounding?: 'each' | 'fused'
  /**
   * Threads that a step with enough to do is split over, 1 to 64: loops by elements, products and sums by rows; nothing that is one sum.
   * The bits are the same for every number. They start at the first call and keep no process alive; where memory cannot be shared (a page
   * that is not cross-origin isolated) there is one. Default: 1.
   */
  readonly threads?: number
}

const names: OptionTable<CompileOptions> = {
  ...{ static: 'optional', donate: 'optional', rounding: 'optional', threads: 'optional' },
}

/** A compiled function: as the one it was made of, and what it is made into. */
// biome-ignore lint/suspicious/noExplicitAny: parameters of any types must be assignable.
export interface Compiled<A extends readonly any[], R> {
  (...args: A): R
  /** What it does for the arguments of the latest call. RangeError where there was none, or none that a program did. */
  plan(): Plan
  /** The time of each step for some arguments, the least of some runs (default 10). */
  profile(args: A, options?: ProfileOptions): Profile
  /**
   * Records f again for some arguments and says whether that is another program than the one that is kept, which it then replaces: so it is
   * where f depends on what is no argument. False where none is kept, or where the call would be f's.
   */
  renew(...args: A): boolean
  /** What it was compiled with. */
  readonly options: CompileOptions
}

/** Options of a profile. */
export interface ProfileOptions {
  /** Default 10. */
  readonly runs?: number
}

const profileNames: OptionTable<ProfileOptions> = { runs: 'optional' }

/** The number of programs of one function beyond which a warning is printed once. */
const many = 8

/** The most programs that are kept for one function. */
const most = 256

// How many programs were recorded in this process, for whoever wonders why steps are slow. No result depends on it.
let recordings = 0

/**
 * How many programs compiled functions have recorded in this process: one more for each new shape, dtype or fixed value.
 *
 * @example const before = recordedPrograms()
 * compile((x) => exp(x))(tensor([1])).size // 1
 * recordedPrograms() - before // 1
 */
export function recordedPrograms(): number {
  return recordings
}

/** Where results are written that take nobody's storage. */
const fresh: readonly undefined[] = []

/** What f did with some arguments. */
interface Recording {
  readonly args: readonly Structure[]
  readonly leaves: readonly Tensor[]
  /** The argument that each tensor belongs to. */
  readonly owners: readonly number[]
  readonly result: Structure
  readonly outputs: readonly Tensor[]
  readonly graph: Graph
}

/** A recording for one structure of arguments. */
interface Entry {
  readonly args: readonly Structure[]
  readonly result: Structure
  readonly program: Program
  /** For each tensor of the result the argument whose storage it takes; undefined where none takes any. */
  readonly donors: readonly (number | undefined)[] | undefined
  /** Its steps as they are reported to a timer, and whether their source lines were looked up. */
  timing?: { readonly works: readonly Work[]; readonly located: boolean }
  /** Its arguments and results, reported likewise. */
  carried?: readonly [coming: Work, going: Work]
}

/**
 * f as one program: recorded at the first call for given structures, shapes and dtypes of its arguments, then replayed
 * without f. Operations that nothing needs are dropped, equal ones computed once, elementwise ones run together block by block
 * in memory planned beforehand.
 *
 * Shape, Dtype   any trees of tensors; what is no tensor among the arguments is fixed, a program for each value of it.
 * Rounding  after every operation, exactly as f itself: the results are f's, bit for bit, NaN, -0 and subnormals included. With
 *           `rounding: 'fused'` less often, on purpose.
 * Special   an argument with a NaN whose bits are not the canonical ones goes to f itself. Inside of another recording (a
 *           gradient, another compiled function, `observe`, the precision doctor) the call is f's, recorded there. Without WebAssembly SIMD too.
 * Throws    TypeError where f looks at an element (item, toNumbers, a branch on a value), naming the line: use `where`, or a
 *           static argument; and where arguments that are not static, or tensors that f gives, lie in other things than arrays and
 *           plain objects. RangeError where an operation draws from a function. What f throws.
 * Cost      the first call runs f once. Tensors that f closes over are constants of the program. 256 programs are kept, those used last; a
 *           warning on the console tells once that one was removed.
 *
 * @example const step = compile((x, y) => add(mul(x, y), 1))
 * step(tensor([1, 2]), tensor([10, 20])).toNested() // [11, 41]
 */
// biome-ignore lint/suspicious/noExplicitAny: parameters of any types must be assignable.
export function compile<A extends readonly any[], R>(
  f: (...args: A) => R,
  options: CompileOptions = noOptions,
): Compiled<A, R> {
  checkFunction('compile', 'f', f)
  checkOptions('compile', options, names)
  const { rounding = 'each', threads = 1 } = options
  checkName('compile', 'rounding', rounding, ['each', 'fused'])
  checkInteger('compile', 'threads', threads, 1, mostThreads)
  const findMachine = (): Machine | undefined =>
    (threads > 1 ? threadedMachine(threads) : undefined) ?? machine()
  const isStatic = numbers('static', options.static)
  const isDonated = numbers('donate', options.donate)
  for (const index of isDonated) {
    if (isStatic.has(index)) {
      throw new RangeError(`compile: an argument is static and donated both [${index}]`)
    }
  }
  const entries: Entry[] = []
  let isFull = false

  /** What f gives for stand-ins of its arguments; with a site its operations keep where they were called. */
  function recorded(args: readonly Structure[], leaves: readonly Tensor[], site?: Error): R {
    const standIns = leaves.map((leaf, i) => argument(leaf, i, site))
    const inputs = args.map((structure) => filled(structure, (leaf) => standIns[leaf]!))
    return f(...(inputs as unknown as A))
  }

  /** The steps of a program, and, where that is wanted, the lines that called them: f is recorded again for those. */
  function worksOf(entry: Entry, leaves: readonly Tensor[], { sites, until }: Timer): readonly Work[] {
    const { timing, program } = entry
    if (timing && (timing.located || !sites)) return timing.works
    const works = planOf(program, sites ? untimed(() => located(entry, leaves, until)) : []).steps
    entry.timing = { works, located: sites }
    return works
  }

  function located({ args, program }: Entry, leaves: readonly Tensor[], until: string | undefined): Stacks {
    const outputs: Tensor[] = []
    structureOf(
      withDeepStacks(() => recorded(args, leaves, new Error('compile'))),
      outputs,
    )
    const graph = graphOf(outputs)
    // A function that does something else when it is called again has no lines.
    return graph.nodes.length === program.graph.nodes.length ? stacksOf(graph, until) : []
  }

  /** Runs a program and tells a timer of each of its steps, and of what comes in and goes out. */
  function clocked(
    entry: Entry,
    leaves: readonly Tensor[],
    storage: readonly (Tensor['data'] | undefined)[],
    timing: Timer,
  ): readonly Tensor[] | undefined {
    const works = worksOf(entry, leaves, timing)
    const clock: number[] = []
    const outputs = untimed(() => entry.program.run(leaves, storage, clock))
    if (!outputs) return undefined
    entry.carried ??= [carried('arguments', leaves), carried('results', outputs)]
    timing.work(entry.carried[0], clock[0]!, clock[1]!, { reads: leaves })
    for (let i = 0; i < works.length; i++) timing.work(works[i]!, clock[i + 1]!, clock[i + 2]!)
    timing.work(entry.carried[1], clock.at(-2)!, clock.at(-1)!, { makes: outputs })
    return outputs
  }

  /** What f does with some arguments, recorded, and where each of their tensors belongs. */
  function record(args: readonly unknown[]): Recording {
    const leaves: Tensor[] = []
    const owners: number[] = []
    const structures = args.map((value, i) => {
      const structure = structureOf(value, leaves, isStatic.has(i))
      while (owners.length < leaves.length) owners.push(i)
      return structure
    })
    for (const [name, list] of [
      ['static', isStatic],
      ['donate', isDonated],
    ] as const) {
      for (const index of list) {
        if (index >= args.length) {
          throw new RangeError(
            `compile: ${name} names an argument that is not there [${index} of ${args.length}]`,
          )
        }
      }
    }
    for (const [i, structure] of structures.entries()) if (!isStatic.has(i)) checkFixed(structure, i)
    const outputs: Tensor[] = []
    const result = structureOf(recorded(structures, leaves), outputs)
    checkResult(result)
    return { args: structures, leaves, owners, result, outputs, graph: graphOf(outputs) }
  }

  /** Makes a program of a recording, and keeps it. */
  function keep({ args, leaves, owners, result, outputs, graph }: Recording, engine: Machine): Entry {
    // What may be written into an argument is, when nothing can come in the way any more.
    const given = leaves.filter((_, i) => isDonated.has(owners[i]!))
    const stays = ({ dtype, size }: { readonly dtype: string; readonly size: number }): boolean =>
      given.some((leaf) => leaf.dtype === dtype && leaf.size === size)
    const program = new Program(graph, engine, rounding, engine.shared ? threads : 1, stays)
    const free = new Set(leaves.keys())
    // What comes out as it came in stays as it is.
    for (const i of program.returned) free.delete(i)
    const donors = outputs.map((output) => {
      for (const i of free) {
        const leaf = leaves[i]!
        if (!isDonated.has(owners[i]!) || leaf.dtype !== output.dtype || leaf.size !== output.size) continue
        free.delete(i)
        return i
      }
      return undefined
    })
    const gives = donors.some((donor) => donor !== undefined)
    const entry = { args, result, program, donors: gives ? donors : undefined }
    entries.unshift(entry)
    recordings++
    if (entries.length === many) {
      console.warn(
        `compile: ${many} programs for one function, each call with new shapes or other fixed values makes one more: ${entries
          .map((each) => each.args.map(describe).join(', '))
          .join(' | ')}`,
      )
    }
    if (entries.length > most) {
      // The latest one used is the first.
      entries.pop()
      if (!isFull) {
        console.warn(
          `compile: ${most} programs for one function are kept, those used longest ago are recorded again when they are needed`,
        )
      }
      isFull = true
    }
    return entry
  }

  const call = (...args: A): R => {
    const engine = findMachine()
    const leaves: Tensor[] = []
    let entry = find(entries, args, leaves)
    if (!engine || engine.busy || isWatched() || leaves.some(isTraced)) return f(...args)
    if (!entry) {
      for (const [i, value] of args.entries()) structureOf(value, leaves, isStatic.has(i))
      if (leaves.some(isTraced)) return f(...args)
      entry = timedWork(
        () => ({ ...carried('compile', []), kind: 'compile' }),
        () => keep(record(args), engine),
      )
    }
    const { program, result, donors } = entry
    const storage = donors?.map((donor) => {
      if (donor === undefined) return undefined
      const { data } = leaves[donor]!
      // Storage that another argument has too is not one's to give.
      return leaves.some((leaf, i) => i !== donor && leaf.data.buffer === data.buffer) ? undefined : data
    })
    const timing = currentTimer()
    const given = storage ?? fresh
    const outputs = timing ? clocked(entry, leaves, given, timing) : program.run(leaves, given)
    if (!outputs) return f(...args)
    return filled(result, (leaf) => outputs[leaf]!) as R
  }
  const plan = (): Plan => {
    const latest = entries[0]
    if (!latest) throw new RangeError('compile: there is no plan before the first call [0 programs]')
    return planOf(latest.program)
  }
  const profile = (args: A, given: ProfileOptions = noOptions): Profile => {
    checkOptions('compile', given, profileNames, { positional: 'runs' })
    const { runs = 10 } = given
    checkInteger('compile', 'runs', runs, 1)
    call(...args)
    const leaves: Tensor[] = []
    const entry = find(entries, args, leaves)
    if (!entry) throw new RangeError('compile: these arguments have no program to profile [0 programs]')
    return profileOf(planOf(entry.program).steps, entry.program.times(leaves, runs))
  }
  const renew = (...args: A): boolean => {
    const engine = findMachine()
    const leaves: Tensor[] = []
    const entry = find(entries, args, leaves)
    if (!entry || !engine || engine.busy || isWatched() || leaves.some(isTraced)) return false
    const recording = record(args)
    if (sameStructure(recording.result, entry.result) && sameGraph(recording.graph, entry.program.graph)) {
      return false
    }
    entries.splice(entries.indexOf(entry), 1)
    keep(recording, engine)
    return true
  }
  return Object.assign(call, { plan, profile, renew, options })
}

/** What comes into a program, or goes out of it: copied from and to ordinary arrays. */
function carried(what: string, tensors: readonly Tensor[]): Work {
  const memory = tensors.reduce((sum, { data }) => sum + data.byteLength, 0)
  const of = { operations: [what], stacks: [[]], flops: 0, memory, bytes: 2 * memory }
  return { kind: 'copy', ...of, dtype: tensors[0]?.dtype ?? 'float32', shape: [tensors.length] }
}

const isTraced = ({ trace }: Tensor): boolean => trace !== undefined

/** What f gives are tensors in arrays and plain objects: those in anything else would be of the recording. */
function checkResult(structure: Structure): void {
  if (structure.kind === 'array' || structure.kind === 'record') structure.items.forEach(checkResult)
  if (structure.kind !== 'fixed') return
  const { value } = structure
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return
  const waits = 'then' in value || 'next' in value
  const inside = value instanceof Map || value instanceof Set ? value.values() : Object.values(value)
  if (waits || [...inside].some((item) => item instanceof Tensor && isSealed(item))) {
    throw new TypeError(
      `compile: result is not a tree of arrays and plain objects [${value.constructor?.name ?? 'Generator'}]`,
    )
  }
}

/** Throws where an argument holds what can change without being another: a Map, an instance of a class, a typed array. */
function checkFixed(structure: Structure, index: number): void {
  if (structure.kind === 'array' || structure.kind === 'record') {
    for (const item of structure.items) checkFixed(item, index)
  }
  if (structure.kind !== 'fixed' || typeof structure.value !== 'object' || structure.value === null) return
  throw new TypeError(
    `compile: argument ${index} is not a tree of arrays and plain objects, make it static if it never changes [${structure.value.constructor?.name ?? 'object'}]`,
  )
}

function numbers(name: string, value: number | readonly number[] | undefined): ReadonlySet<number> {
  const list =
    value === undefined ? [] : Array.isArray(value) ? (value as readonly number[]) : [value as number]
  for (const index of list) checkInteger('compile', name, index, 0)
  return new Set(list)
}

/** The recording that fits some arguments, their tensors in `leaves`; the latest one that fitted comes first. */
function find(entries: Entry[], args: readonly unknown[], leaves: Tensor[]): Entry | undefined {
  for (let at = 0; at < entries.length; at++) {
    const entry = entries[at]!
    if (leaves.length > 0) leaves.length = 0
    if (entry.args.length !== args.length) continue
    if (!allMatch(entry.args, args, leaves)) continue
    if (at > 0) {
      entries.splice(at, 1)
      entries.unshift(entry)
    }
    return entry
  }
  leaves.length = 0
  return undefined
}

function allMatch(structures: readonly Structure[], args: readonly unknown[], leaves: Tensor[]): boolean {
  for (let i = 0; i < structures.length; i++) if (!matches(structures[i]!, args[i], leaves)) return false
  return true
}
