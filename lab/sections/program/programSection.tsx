import { computed, signal, useSignalEffect } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { Check, Choice } from '../../parts/controls.js'
import { DataTable } from '../../parts/dataTable.js'
import { Failed } from '../../parts/failed.js'
import { fixed } from '../../parts/fixed.js'
import { packProgram, unpackProgram } from '../../parts/packProgram.js'
import { flag, oneOf, sectionState, text } from '../../shell/urlState.js'
import { answerOf } from './answerOf.js'
import { checkImports, problemText } from './checkImports.js'
import type { ProgramEditor } from './editorView.js'
import { ExampleChoice } from './exampleChoice.js'
import { firstProgram } from './firstProgram.js'
import { type LabModule, loadModules } from './labModules.js'
import type { Diagnosis } from './programMessages.js'
import { programRun } from './programRun.js'

const state = sectionState('editor', {
  program: text('', 200_000),
  doctor: flag(true),
  seconds: oneOf(['2', '10', '60'] as const, '10'),
})
const code = signal(firstProgram)
const run = programRun()
const examples = signal<readonly { readonly name: string; readonly code: string }[]>([])
const modules = signal<readonly LabModule[]>([])
const problems = computed(() => (modules.value.length === 0 ? [] : checkImports(code.value, modules.value)))
const failure = signal('')
/** What the address had when the program was last the one it says. */
let known = ''

/** A program of the reader's own, and what the doctor says of it. */
export function ProgramSection() {
  const place = useRef<HTMLDivElement>(null)
  const editor = useRef<ProgramEditor | undefined>(undefined)
  useEffect(() => {
    let wanted = true
    const open = async (): Promise<void> => {
      const [{ openEditor }, known] = await Promise.all([import('./editorView.js'), loadModules()])
      if (!wanted || !place.current) return
      modules.value = known
      editor.current = openEditor(place.current, code.value, {
        onChange(next) {
          code.value = next
        },
        onRun: start,
        modules: known,
      })
      editor.current.underline(problems.peek())
    }
    open().catch((error: Error) => {
      failure.value = error.message
    })
    import(new URL('examples.js', document.baseURI).href)
      .then((built) => {
        examples.value = built.examples
      })
      .catch(() => undefined)
    return () => {
      wanted = false
      editor.current?.destroy()
      run.stop()
    }
  }, [])
  // The address into the editor.
  useSignalEffect(() => {
    const packed = state.program.value
    if (packed === known) return
    known = packed
    const read = packed === '' ? Promise.resolve(firstProgram) : unpackProgram(packed)
    read.then((told) => {
      failure.value = told === undefined ? 'the address holds no program' : ''
      if (told !== undefined) code.value = told
    })
  })
  // The program into the address, when the typing rests.
  useSignalEffect(() => {
    const now = code.value
    editor.current?.setText(now)
    const timer = setTimeout(async () => {
      const packed = now === firstProgram ? '' : await packProgram(now)
      if (now !== code.value) return
      known = packed
      state.program.value = packed
    }, 300)
    return () => clearTimeout(timer)
  })
  useSignalEffect(() => {
    const wrong = problems.value
    editor.current?.underline(wrong)
  })
  useSignalEffect(() => {
    const line = run.wrongLine.value
    const costly = run.diagnosis.value?.lines.slice(0, 3).map((one) => one.line) ?? []
    editor.current?.mark(line === undefined ? costly : [line])
  })
  const running = run.state.value === 'running'
  return (
    <>
      <p>
        Write a program and run it here; nothing leaves the page. Export <code>f</code> and{' '}
        <code>inputs</code>, and the doctor says which lines lose the bits, which bounds are certain, and what
        to write instead.
      </p>
      <ExampleChoice
        examples={examples.value}
        onChoose={(chosen) => {
          code.value = chosen
        }}
      />
      <div class="controls">
        <Choice
          label="it may take"
          value={state.seconds}
          names={['2', '10', '60']}
          said={{ '2': '2 s', '10': '10 s', '60': '60 s' }}
        />
        <Check label="and ask the doctor" value={state.doctor} />
        <button
          type="button"
          class="main"
          aria-keyshortcuts="Control+Enter Meta+Enter"
          onClick={() => (running ? run.stop() : start())}
        >
          {running ? 'Stop' : 'Run'}
        </button>
        <span class="hint">Ctrl-Enter runs it, Ctrl-Space completes a name, Tab leaves the editor.</span>
      </div>
      {failure.value !== '' && <Failed what="The editor" why={failure.value} />}
      <div id="the-editor" ref={place} class="editor" />
      {problems.value.length > 0 && (
        <ul class="problems" aria-label="What is wrong with its imports">
          {problems.value.map((problem) => (
            <li key={problem.from}>
              <button type="button" class="plain" onClick={() => editor.current?.goTo(problem)}>
                line {code.value.slice(0, problem.from).split('\n').length}
              </button>
              : {problem.message}
            </li>
          ))}
        </ul>
      )}
      <p class="said" role="status">
        {running ? 'It runs.' : run.ending.value || 'It has not run yet.'}
      </p>
      {run.printed.value.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
        <section class="output" tabIndex={0} aria-label="What it printed">
          <pre class="text">
            {run.printed.value.map(({ text, wrong }, i) => (
              <div key={i} class={wrong ? 'wrong' : undefined}>
                {text}
              </div>
            ))}
          </pre>
        </section>
      )}
      {run.diagnosis.value && <Found diagnosis={run.diagnosis.value} />}
    </>
  )
}

/** Runs the program that is in the editor, where all that it imports is there. */
function start(): void {
  const now = code.peek()
  const wrong = problems.peek()
  if (wrong.length > 0) run.refuse(wrong.map((problem) => problemText(now, problem)))
  else run.start(now, { examine: asksDoctor(), seconds: Number(state.seconds.peek()) })
}

/** The doctor is asked of programs that export what it looks at. */
function asksDoctor(): boolean {
  return state.doctor.value && /^export\s+(const|function|async function|default|let|\{)/m.test(code.value)
}

function Found({ diagnosis }: { readonly diagnosis: Diagnosis }) {
  const { report, lines, certified, rewrites, tuned } = diagnosis
  return (
    <section aria-labelledby="doctor">
      <h2 id="doctor">What the doctor says</h2>
      <p class="answer">{answerOf(diagnosis).join(' ')}</p>
      {lines.length > 0 && (
        <DataTable
          name="The lines that lose the bits"
          head={['line', 'share of the error', 'what']}
          rows={lines.map(({ line, share, text }) => [
            String(line),
            share === null ? '—' : fixed(100 * share, 1),
            text,
          ])}
        />
      )}
      <DataTable
        name="Certified bounds"
        head={['output', 'certified: |computed - exact| at most', 'decisions left open']}
        rows={certified.map(({ output, bound, open }) => [
          output,
          Number.isFinite(bound) ? bound.toPrecision(4) : 'Inf',
          String(open),
        ])}
      />
      <h3>What to write instead</h3>
      <pre class="text">{rewrites}</pre>
      {tuned !== null && (
        <>
          <h3>The least to keep wide</h3>
          <pre class="text">{tuned}</pre>
        </>
      )}
      <details open>
        <summary>The shadow report</summary>
        <pre class="text">{report}</pre>
      </details>
    </section>
  )
}
