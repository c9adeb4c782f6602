import { readOnnx } from 'tpu-toolkit/onnx'
import { type Shadow, shadow } from 'tpu-toolkit/precision'
import { type Program, type ProgramValue, parse, programOf } from 'tpu-toolkit/stablehlo'
import { carriedOf, carriedText, inputsFrom, nanOrigin, onnxProgram, stepping } from '#feeding'
import { workerScope } from '../../parts/workerScope.js'
import type { JaxAsked, JaxMessage, JaxProgram } from './jaxMessages.js'
import { lineOf, linesOfSteps, sharesByLine } from './linesOfSteps.js'
import { storedArrays } from './storedArrays.js'

/** The run whose operations can be asked for. */
let last: Shadow | undefined

/** Elements of an operation that the page gets. */
const shownElements = 256

const tell = (message: JaxMessage): void => workerScope.postMessage(message)

workerScope.addEventListener('message', ({ data }: MessageEvent<JaxAsked>) => {
  const answer = 'values' in data ? values(data.values) : examine(data.program, data.steps, data.seed)
  answer.catch((thrown: unknown) => {
    const said = thrown instanceof Error ? thrown.message : String(thrown)
    tell({ failed: said.replace(/^(programOf|programOfOnnx|readOnnx|parse|inputsFrom|carriedOf): /, '') })
  })
})

async function examine(files: JaxProgram, steps: number, seed: number): Promise<void> {
  const began = performance.now()
  last = undefined
  const program = await read(files)
  const stored = files.inputs ? await storedArrays(files.inputs.name, files.inputs.data) : {}
  const { inputs, drawn } = inputsFrom(program, stored, seed)
  let shown = 0
  const most = repeats(program) ? steps : 1
  const stepped = stepping({ program, inputs }, most, undefined, (step) => {
    if (performance.now() - shown < 100) return
    shown = performance.now()
    tell({ stepped: { step, of: most, nonFinite: undefined } })
  })
  const { dot, reduce } = program.semantics
  tell({
    opened: {
      ...{ arguments: program.arguments.length, drawn },
      carried: stepped.carried ? carriedText(stepped.carried) : '',
      semantics: `Every operation rounds once, to its own dtype; matrix products add in ${dot === 'float32' ? 'float32' : 'the dtype of their result'}, sums go ${reduce === 'sequential' ? 'by index' : "in the windows of XLA's CPU backend"}.`,
    },
  })
  tell({ stepped: { step: stepped.step, of: most, nonFinite: stepped.nonFinite } })
  const sourceOf = sourceLines(files)
  if (stepped.nonFinite !== undefined) {
    const found = nanOrigin(program, stepped.inputs)
    if (found) {
      const site = found.site ?? ''
      tell({ origin: { site, source: sourceOf(lineOf(site)), lines: found.lines } })
    }
  }
  const f = (given: Readonly<Record<string, ProgramValue>>): Record<string, ProgramValue> =>
    program.runNamed(given)
  // Of a step that is not finite every error is infinite: the one before it says where bits are lost.
  const measured =
    stepped.nonFinite !== undefined && stepped.step > 1
      ? stepping({ program, inputs }, stepped.step - 1, true, () => undefined)
      : stepped
  const run = shadow(f as never, measured.inputs as never, { check: false, sites: true })
  last = run
  const outputs = run.outputs()
  tell({
    found: {
      step: measured.step,
      reference: run.reference === 'real' ? 'real numbers' : run.reference,
      lines: linesOfSteps(run, sourceOf),
      outputs: outputs.map(({ name, precision, max, mean, wrong, size }) => {
        return { name, precision, worst: max, mean, wrong, size }
      }),
    },
  })
  const worst = outputs.reduce((a, b) => (b.max > a.max ? b : a), outputs[0]!)
  if (worst) tell({ shares: { output: worst.name, lines: sharesByLine(run.groups(worst.name)) } })
  tell({ done: { milliseconds: performance.now() - began } })
}

/** Whether results of the program are arguments of its next step; a forward pass alone runs once. */
function repeats(program: Program): boolean {
  try {
    return carriedOf(program, true).size > 0
  } catch {
    return false
  }
}

async function read({ name, text }: JaxProgram): Promise<Program> {
  const bytes = new Uint8Array(await text.arrayBuffer())
  if (name.endsWith('.onnx')) return onnxProgram(readOnnx(bytes)).program
  // MLIR's bytecode, which jax.export serialises, begins so.
  if (bytes[0] === 0x4d && bytes[1] === 0x4c && bytes[2] === 0xef && bytes[3] === 0x52) {
    throw new RangeError(
      `${name} is MLIR bytecode; write its text: jax.jit(f).lower(...).as_text(debug_info=True), or exported.mlir_module()`,
    )
  }
  return programOf(parse(new TextDecoder().decode(bytes)))
}

/** What stands in a line of the sources that were given. */
function sourceLines({ sources }: JaxProgram): (line: string) => string {
  const texts = new Map(sources.map(({ name, text }) => [name, text.split('\n')]))
  return (line) => {
    const [, file = '', number = ''] = /^(.*):(\d+)$/.exec(line) ?? []
    return texts.get(file.replace(/^.*\//, ''))?.[Number(number) - 1]?.trim() ?? ''
  }
}

async function values(step: number): Promise<void> {
  if (!last) return
  const { computed, reference, introduced } = last.errors(step)
  tell({
    values: {
      ...{ step, size: computed.length },
      computed: computed.slice(0, shownElements),
      reference: reference.slice(0, shownElements),
      introduced: introduced.slice(0, shownElements),
    },
  })
}
