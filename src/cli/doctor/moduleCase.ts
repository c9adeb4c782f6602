import { existsSync, readFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { nearestName, shown } from '../../base/options/index.js'
import { type Examined, type Finding, findingOf } from '../../experiments/failures/index.js'
import {
  type Rewriting,
  shadow,
  shadowTrainStep,
  suggestRewrites,
  type TrainStepShadow,
} from '../../precision/index.js'
import { Tensor } from '../../tensors/tensor/index.js'
import type { Tree } from '../../tensors/tree/index.js'
import { BadInput } from '../io/badInput.js'
import type { DoctorCase } from './doctorCases.js'

/** What the doctor found of a module: of a training step, what it did to its parameters too. */
export interface ModuleExamined extends Examined {
  readonly training?: TrainStepShadow
}

/** What a module may export. */
const known = ['f', 'default', 'inputs', 'step', 'args', 'lossAndGrad', 'target', 'title']

type Exports = Readonly<Record<string, unknown>>
type AnyFunction = (...args: readonly unknown[]) => unknown

/** Whether an argument of the command names a file rather than an experiment. */
export function isModulePath(name: string): boolean {
  return /\.[cm]?[jt]s$/.test(name)
}

/**
 * The case of a user's module: `f` (or the default export) with `inputs`, a tree of tensors, and perhaps a `target` for tune;
 * or a training step: `step` with `args`, the list of its arguments. `inputs` and `args` may be functions that make them. A
 * line with the comment `doctor: ignore` is left out of the report, beside those of `ignore`.
 */
export async function moduleCase(path: string, ignore: readonly string[]): Promise<DoctorCase> {
  const file = resolve(path)
  const name = basename(file)
  if (!existsSync(file)) throw new BadInput(`no such file [${path}]`)
  const exports = await load(file, path)
  const left = [...ignore, ...markedLines(readFileSync(file, 'utf8'), name)]
  const { title = name } = exports
  if (typeof title !== 'string') throw new BadInput(`${name}: title is no text [${shown(title)}]`)
  const make = exports['step'] === undefined ? plainCase : stepCase
  const examine = await make(name, exports, left)
  return {
    id: name,
    title,
    ignore: left,
    examine: (onTrial, earlier) => {
      try {
        return examine(onTrial, earlier)
      } catch (thrown) {
        throw inModule(thrown, name)
      }
    },
  }
}

async function load(file: string, path: string): Promise<Exports> {
  try {
    return await import(pathToFileURL(file).href)
  } catch (thrown) {
    const { code } = thrown as { readonly code?: unknown }
    if (code === 'ERR_UNKNOWN_FILE_EXTENSION') {
      throw new BadInput(
        `this Node does not read TypeScript, 22.18 and later do: use one of them, or the compiled file [${process.version}, ${path}]`,
      )
    }
    throw inModule(thrown, basename(file))
  }
}

/** The lines of a source that carry the comment, as sites begin with them. */
function markedLines(source: string, name: string): string[] {
  return source
    .split('\n')
    .flatMap((line, i) => (/\/\/\s*doctor:\s*ignore\b/.test(line) ? [`${name}:${i + 1}`] : []))
}

type Examine = (...how: Parameters<DoctorCase['examine']>) => ModuleExamined

async function plainCase(name: string, exports: Exports, ignore: readonly string[]): Promise<Examine> {
  const f = exports['f'] ?? exports['default']
  if (typeof f !== 'function') throw new BadInput(missing(name, exports, 'f, a function of tensors, or step'))
  const inputs = await made(name, exports, 'inputs', `a tree of tensors that ${f.name || 'f'} is run on`)
  checkTensors(name, inputs, 'inputs')
  const { target } = exports
  const run = f as (inputs: Tree) => Tree
  return (onTrial, [earlier = []] = []) => {
    const asked = { question: inWords(target), target: target as never, earlier }
    const findings: Finding[] = target === undefined ? [] : [findingOf(run, inputs as Tree, asked, onTrial)]
    return { ...examined(run, inputs as Tree, ignore), findings }
  }
}

async function stepCase(name: string, exports: Exports, ignore: readonly string[]): Promise<Examine> {
  const { step } = exports
  if (typeof step !== 'function') throw new BadInput(`${name}: step is no function [${shown(step)}]`)
  const args = await made(name, exports, 'args', 'the list of the arguments of step')
  if (!Array.isArray(args)) {
    throw new BadInput(`${name}: args is no list of the arguments of step [${shown(args)}]`)
  }
  checkTensors(name, args, 'args')
  const own = exports['lossAndGrad'] as AnyFunction | undefined
  const ofStep = (step as { readonly lossAndGrad?: AnyFunction }).lossAndGrad
  // What is looked into op by op: loss and gradients, since optimizers run in one loop; the whole step where it is plain.
  const [first, ...batch]: readonly unknown[] = args
  const [run, inputs]: readonly [AnyFunction, readonly unknown[]] = own
    ? [own, args]
    : ofStep
      ? [ofStep, [(first as { readonly params: unknown }).params, ...batch]]
      : [step as AnyFunction, args]
  return () => {
    const training = shadowTrainStep(step as AnyFunction, args, { ignore, ...(own && { lossAndGrad: own }) })
    const f = (given: Tree): Tree => {
      const result = run(...(given as readonly unknown[]))
      if (run === step) return result as Tree
      const [loss, grads] = result as readonly Tree[]
      return { loss: loss!, grads: grads! }
    }
    return { ...examined(f, inputs as Tree, ignore), findings: [], training }
  }
}

function examined(
  f: (inputs: Tree) => Tree,
  inputs: Tree,
  ignore: readonly string[],
): { readonly shadow: Examined['shadow']; readonly rewriting: Rewriting } {
  return { shadow: shadow(f, inputs), rewriting: suggestRewrites(f, inputs, { ignore }) }
}

/** An export, or what it returns where it is a function. */
async function made(name: string, exports: Exports, key: string, what: string): Promise<unknown> {
  const value = exports[key]
  if (value === undefined) throw new BadInput(missing(name, exports, `${key}, ${what}`))
  return typeof value === 'function' ? await (value as () => unknown)() : value
}

function missing(name: string, exports: Exports, what: string): string {
  const names = Object.keys(exports)
  const near = names
    .filter((given) => !known.includes(given))
    .flatMap((given) => {
      const meant = nearestName(given, known)
      return meant === undefined ? [] : [`, is ${given} meant as ${meant}?`]
    })
  return `${name} does not export ${what}${near[0] ?? ''} [${names.join(', ')}]`
}

/** Tensors of another copy of this package are no tensors here. */
function checkTensors(name: string, value: unknown, what: string): void {
  const kinds = new Set<string>()
  const visit = (x: unknown): void => {
    if (x instanceof Tensor) {
      kinds.add('own')
    } else if (typeof x === 'object' && x !== null) {
      if (x.constructor?.name === 'Tensor' && 'dtype' in x) kinds.add('foreign')
      else if (!ArrayBuffer.isView(x)) Object.values(x).forEach(visit)
    }
  }
  visit(value)
  if (kinds.has('foreign')) {
    throw new BadInput(
      `${name}: its tensors come from another copy of tpu-toolkit, run the command that is installed beside it [npx tpu-toolkit doctor]`,
    )
  }
  if (!kinds.has('own')) throw new BadInput(`${name}: ${what} holds no tensor [${shown(value)}]`)
}

/** What went wrong in a user's module, with the line where it did. */
function inModule(thrown: unknown, name: string): unknown {
  if (thrown instanceof BadInput || !(thrown instanceof Error)) return thrown
  const frame = thrown.stack?.split('\n').find((line) => line.includes(name) && /:\d+:\d+\)?$/.test(line))
  const [, at] = frame ? (/([^/\\(\s]+:\d+:\d+)\)?$/.exec(frame) ?? []) : []
  return new BadInput(`${at ?? name}: ${thrown.message}`)
}

/** A target of `tune` in a few words. */
function inWords(target: unknown): string {
  if (typeof target !== 'object' || target === null) return shown(target)
  const { atMost, steps } = target as { readonly atMost?: unknown; readonly steps?: unknown }
  return Object.entries(target)
    .filter(([key]) => key !== 'atMost' && key !== 'steps')
    .map(([key, value]) => {
      if (typeof value !== 'function') return `${key} at most ${shown(value)}`
      if (key === 'metric') return `the metric at most ${shown(atMost)}`
      return key === 'finite'
        ? `${shown(steps)} steps without a value that is not finite`
        : 'what has to hold'
    })
    .join(', ')
}
