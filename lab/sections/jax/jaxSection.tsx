import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Choice, NumberField } from '../../parts/controls.js'
import { DropFile } from '../../parts/dropFile.js'
import { Failed } from '../../parts/failed.js'
import { numberFrom, oneOf, sectionState } from '../../shell/urlState.js'
import { jaxExample, jaxExampleNames, jaxFiles } from './jaxExample.js'
import type { JaxProgram } from './jaxMessages.js'
import { jaxRun } from './jaxRun.js'
import { LinesTable } from './linesTable.js'
import { Outputs } from './outputs.js'
import { verdictOf } from './verdictOf.js'

const state = sectionState('jax', {
  example: oneOf(jaxExampleNames, 'ssm'),
  steps: numberFrom(1, 100_000, 20, 1),
})
const run = jaxRun()
const program = signal<JaxProgram | undefined>(undefined)
/** Files of the reader's own, which no address has. */
const own = signal<JaxProgram | undefined>(undefined)
const failure = signal('')
let begun = ''

function begin(next: JaxProgram, steps: number): void {
  program.value = next
  failure.value = ''
  run.start({ program: next, steps, seed: 0 })
}

/** A training step that JAX or PyTorch wrote: which of its lines lose the bits, or make the NaN. */
export function JaxSection() {
  const [example, steps, files] = [state.example.value, state.steps.value, own.value]
  useEffect(() => {
    const asked = `${files ? 'own' : example} ${steps}`
    // What was found stays, also for who comes back.
    if (asked === begun && run.state.peek() !== 'stopped') return
    begun = asked
    if (files) {
      begin(files, steps)
      return
    }
    jaxExample(example).then(
      (known) => begin(known, steps),
      (error: Error) => {
        failure.value = error.message
      },
    )
  }, [example, steps, files])
  const take = async (given: readonly File[]): Promise<void> => {
    const found = await jaxFiles(given)
    begun = ''
    if (typeof found === 'string') failure.value = found
    else own.value = found
  }
  const name = program.value?.name ?? `${example}.mlir`
  const { found } = run
  return (
    <>
      <p>
        Drop the program that JAX wrote, with its inputs: it is run here, every operation rounded as on the
        accelerator, beside numbers that are not rounded. Nothing is uploaded.
      </p>
      <div class="controls">
        <DropFile
          label="step.mlir or model.onnx, with .safetensors, .npz or .npy, and the .py for its lines"
          accept=".mlir,.stablehlo,.txt,.onnx,.safetensors,.npz,.npy,.py"
          onFiles={take}
        />
        <Choice
          label="or an example"
          value={state.example}
          names={jaxExampleNames}
          said={{ ssm: 'a layer that becomes NaN', transformer: 'a transformer step in bfloat16' }}
        />
        {files && (
          <button
            type="button"
            onClick={() => {
              own.value = undefined
            }}
          >
            Back to the example
          </button>
        )}
        <NumberField
          label="steps on its own results, at most"
          value={state.steps}
          min={1}
          max={100_000}
          step={1}
        />
        {run.state.value === 'running' && (
          <button type="button" class="main" onClick={run.stop}>
            Stop
          </button>
        )}
      </div>
      <p class="said" role="status">
        {verdictOf(name, run)}
      </p>
      {failure.value !== '' && <Failed what="No program" why={failure.value} />}
      {run.failure.value !== '' && <Failed what={`${name} is refused`} why={run.failure.value} />}
      <Origin />
      {found.value && <LinesTable lines={found.value.lines} run={run} />}
      {found.value && <Outputs outputs={found.value.outputs} reference={found.value.reference} />}
      {run.opened.value && (
        <p>
          {run.opened.value.semantics}
          {run.opened.value.carried !== '' && ` Carried from step to step: ${run.opened.value.carried}.`}
          {run.opened.value.drawn.length > 0 &&
            ` Drawn at random, since no file has them: ${run.opened.value.drawn.slice(0, 5).join(', ')}${run.opened.value.drawn.length > 5 ? ' ...' : ''}.`}
        </p>
      )}
      <details class="show-code">
        <summary>How to write these files</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard */}
        <pre tabIndex={0}>
          <code>{dumping}</code>
        </pre>
      </details>
      <details class="show-code">
        <summary>The same on the command line</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard */}
        <pre tabIndex={0}>
          <code>{commands(program.value, steps)}</code>
        </pre>
      </details>
    </>
  )
}

/** The first value that is not finite, and where it came from. */
function Origin() {
  const origin = run.origin.value
  if (!origin) return null
  return (
    <section aria-labelledby="origin">
      <h2 id="origin">The first value that is not finite</h2>
      <p>
        {origin.site === '' ? 'Its operation has no line of source.' : origin.site}
        {origin.source !== '' && (
          <>
            : <code>{origin.source}</code>
          </>
        )}
      </p>
      <details>
        <summary>{origin.lines[0]}</summary>
        <pre class="text">{origin.lines.slice(1).join('\n').trim()}</pre>
      </details>
    </section>
  )
}

const dumping = `import jax
import numpy as np
from safetensors.numpy import save_file


def dump(step, *args, file='step'):
    lowered = jax.jit(step, keep_unused=True).lower(*args)
    with open(f'{file}.mlir', 'w') as f:
        f.write(lowered.as_text(debug_info=True))
    save_file({f'arg{i}': np.asarray(a) for i, a in enumerate(jax.tree.leaves(args))}, f'{file}.safetensors')
`

function commands(asked: JaxProgram | undefined, steps: number): string {
  const inputs = asked?.inputs ? `--inputs ${asked.inputs.name}` : '--random 0'
  const file = asked?.name ?? 'step.mlir'
  return `npx tpu-toolkit doctor ${file} ${inputs}
npx tpu-toolkit program nan ${file} ${inputs} --steps ${steps}${steps > 1 ? ' --carry' : ''}
npx tpu-toolkit program tune ${file} ${inputs} --target 1
`
}
