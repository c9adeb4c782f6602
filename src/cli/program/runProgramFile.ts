import { mkdirSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { readable, secondsText, terminalText } from '../../base/text/index.js'
import { carriedText, stepping } from '../../programs/feeding/index.js'
import type { ProgramValue } from '../../programs/stablehlo/index.js'
import { textTable } from '../../report/index.js'
import { isFloat, Tensor } from '../../tensors/tensor/index.js'
import { writeNpz, writeSafetensors } from '../../training/files/index.js'
import { BadInput } from '../io/badInput.js'
import { jsonText } from '../io/jsonText.js'
import { CannotWrite } from '../io/openReport.js'
import { printWrapped } from '../io/printWrapped.js'
import { readCount } from '../io/readNumber.js'
import type { Terminal } from '../io/terminal.js'
import { asBadInput, openProgram, semanticsText } from '../programs/openProgram.js'
import { compiledProgram } from './compiledProgram.js'
import type { ProgramGiven } from './programGiven.js'

/** `program run`: the results, as a table and in a file. */
export function runProgramFile(path: string, given: ProgramGiven, terminal: Terminal): number {
  const steps = given.steps === undefined ? 1 : readCount('steps', given.steps, 1)
  const repeat = given.repeat === undefined ? 0 : readCount('repeat', given.repeat, 1)
  const { out } = given
  if (out !== undefined && !/\.(safetensors|npz)$/.test(out)) {
    throw new BadInput(`--out is a .safetensors or .npz file [${terminalText(out)}]`)
  }
  const opened = openProgram(path, given)
  const { name, program, inputs, drawn } = opened
  const stepped = asBadInput(name, () =>
    stepping(opened, steps, given.carry, (step) => terminal.progress?.(step - 1, steps, `step ${step}`)),
  )
  const compiled = repeat > 0 ? asBadInput(name, () => compiledProgram(program, inputs)) : undefined
  const run = compiled ?? program.runNamed
  const times = Array.from({ length: repeat }, () => {
    const start = performance.now()
    run(inputs)
    return (performance.now() - start) / 1000
  }).sort((a, b) => a - b)
  const rows = program.results.map((result) => ({
    ...facts(stepped.results[result.name]!),
    name: result.name,
  }))
  if (out !== undefined) write(out, stepped.results)
  const seconds = times[times.length >> 1]
  if (given.json) {
    const { step, nonFinite } = stepped
    terminal.out(
      jsonText({
        program: name,
        semantics: program.semantics,
        drawn,
        step,
        nonFinite: nonFinite ?? null,
        seconds: seconds ?? null,
        compiled: compiled !== undefined,
        results: rows,
      }),
    )
  } else {
    const lines = [
      `${name}: ${semanticsText({ program })}`,
      ...(drawn.length > 0
        ? [`drawn with --random ${given.random}: ${drawn.length} of ${program.arguments.length} arguments`]
        : []),
      ...(stepped.carried ? [`carried: ${carriedText(stepped.carried)}`] : []),
      ...(steps > 1 ? [stepText(stepped.step, steps, stepped.nonFinite)] : []),
      '',
      textTable(columns, rows, { width: terminal.width }),
      ...(seconds === undefined
        ? []
        : [
            '',
            `median of ${repeat} ${compiled ? 'compiled runs' : 'runs, operation by operation, since what runs depends on values'}: ${secondsText(seconds)}`,
          ]),
      ...(out === undefined ? [] : ['', `Written: ${out}`]),
    ]
    printWrapped(terminal, `${lines.join('\n')}\n`)
  }
  return 0
}

/** How far the steps went. */
export function stepText(step: number, steps: number, nonFinite: string | undefined): string {
  if (nonFinite === undefined) return `${steps} steps, every result finite`
  return `step ${step} of ${steps} is the first with a value that is not finite, in ${nonFinite}`
}

const columns = [
  { key: 'name', header: 'result' },
  { key: 'tensor' },
  { key: 'first', header: 'value, or the least' },
  { key: 'most', header: 'the greatest' },
  { key: 'NaN' },
  { key: 'Inf' },
] as const

function facts(value: ProgramValue): Record<string, string | number> {
  if (!(value instanceof Tensor)) {
    return {
      tensor: `complex, twice ${value.re.dtype} [${value.re.shape.join(', ')}]`,
      first: '',
      most: '',
      NaN: 0,
      Inf: 0,
    }
  }
  const numbers = value.toNumbers()
  const finite = numbers.filter((x) => Number.isFinite(x))
  const show = (x: number): string => (finite.length === 0 ? '' : readable(x, 6))
  const isOne = numbers.length === 1
  return {
    tensor: `${value.dtype} [${value.shape.join(', ')}]`,
    first: isOne ? readable(numbers[0]!, 6) : show(finite.reduce((a, b) => Math.min(a, b), Infinity)),
    most: isOne ? '' : show(finite.reduce((a, b) => Math.max(a, b), -Infinity)),
    NaN: isFloat(value.dtype) ? numbers.filter(Number.isNaN).length : 0,
    Inf: numbers.filter((x) => Math.abs(x) === Infinity).length,
  }
}

function write(out: string, results: Readonly<Record<string, ProgramValue>>): void {
  const tensors = Object.fromEntries(
    Object.entries(results).flatMap(([name, value]) =>
      value instanceof Tensor
        ? [[name, value] as const]
        : ([
            [`${name}.re`, value.re],
            [`${name}.im`, value.im],
          ] as const),
    ),
  )
  try {
    mkdirSync(dirname(out), { recursive: true })
    if (out.endsWith('.npz')) writeNpz(out, tensors)
    else writeSafetensors(out, tensors)
  } catch (thrown) {
    if (thrown instanceof Error && 'syscall' in thrown) {
      throw new CannotWrite(`cannot write ${terminalText(basename(out))} [${terminalText(thrown.message)}]`)
    }
    throw thrown
  }
}
