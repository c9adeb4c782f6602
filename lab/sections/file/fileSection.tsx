import { signal, useSignalEffect } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { bytesText, readable } from '#text'
import { Chart } from '../../parts/chart.js'
import { Choice } from '../../parts/controls.js'
import { DropFile } from '../../parts/dropFile.js'
import { Failed } from '../../parts/failed.js'
import { ShowCode } from '../../parts/showCode.js'
import { SortTable } from '../../parts/sortTable.js'
import { flag, oneOf, sectionState, text } from '../../shell/urlState.js'
import { fileCode } from './fileCode.js'
import type { WayRow } from './fileMessages.js'
import { fileRun } from './fileRun.js'
import { fileWayNames, schemeNames } from './fileWays.js'

const state = sectionState('file', {
  formats: text('bfloat16,float8_e4m3fn,mxfp8_e4m3,mxfp4,nvfp4', 400),
  way: oneOf(fileWayNames, 'usual'),
  sample: flag(false),
  tensor: text('', 500),
})
const chosen = signal<File | undefined>(undefined)
const run = fileRun()
/** What was last read: what has been read to its end is not read again for who comes back. */
let begun: { readonly file: File | undefined; readonly how: string } | undefined

const formatsOf = (): string[] => {
  const named = state.formats.value.split(',')
  return schemeNames.filter((name) => named.includes(name))
}

/** The tensors of a file that stays where it is: what each format leaves of them. */
export function FileSection() {
  useSignalEffect(() => {
    const [schemes, way] = [formatsOf(), state.way.value]
    const file = chosen.value
    if (!file && !state.sample.value) {
      begun = undefined
      run.stop()
      return
    }
    const how = `${way} ${schemes.join(' ')}`
    if (begun && begun.file === file && begun.how === how && run.state.peek() === 'done') return
    begun = { file, how }
    run.start({ file, schemes, way })
  })
  useEffect(() => run.stop, [])
  const schemes = formatsOf()
  const tensors = run.tensors.value
  const shown = tensors.find(({ name }) => name === state.tensor.value) ?? tensors[0]
  const name = chosen.value?.name ?? (state.sample.value ? 'sample.safetensors' : '')
  return (
    <>
      <p>
        What low-precision formats leave of the tensors of a safetensors or npy file: signal to noise, what is
        clipped, what becomes zero. The file stays where it is: nothing is uploaded, the policy of this page
        lets it ask no host at all; a worker reads about a megabyte at a time, so that a file may be larger
        than the memory.
      </p>
      <div class="controls">
        <DropFile
          label="A .safetensors or .npy file, dropped here or chosen"
          accept=".safetensors,.npy"
          onFile={(file) => {
            chosen.value = file
          }}
        />
        <button
          type="button"
          onClick={() => {
            chosen.value = undefined
            state.sample.value = true
          }}
        >
          Take a sample file
        </button>
        {run.state.value === 'reading' && (
          <button type="button" class="main" onClick={run.stop}>
            Stop
          </button>
        )}
      </div>
      <Formats schemes={schemes} />
      <p class="said" role="status">
        {verdict(name)}
      </p>
      {run.failure.value !== '' && <Failed what={`${name} could not be read`} why={run.failure.value} />}
      {tensors.length > 0 && (
        <>
          <h2>SQNR by tensor and format, in dB</h2>
          <SortTable
            name="SQNR by tensor and format"
            head={['tensor', 'shape', 'dtype', ...schemes]}
            rows={tensors.map((row) => [
              row.name,
              `[${row.shape.join(', ')}]`,
              row.dtype,
              ...row.ways.map(({ sqnr }) => ({ said: decibels(sqnr), value: sqnr })),
            ])}
            marked={(row) => tensors[row]?.name === shown?.name}
          />
        </>
      )}
      {run.totals.value.length > 0 && (
        <>
          <h2>All tensors together</h2>
          <SortTable
            name="All tensors together"
            head={[...measures, 'worst tensor', 'its SQNR, dB']}
            rows={run.totals.value.map((total) => [
              ...measured(total),
              total.worst.tensor,
              { said: decibels(total.worst.sqnr), value: total.worst.sqnr },
            ])}
          />
        </>
      )}
      {shown && (
        <>
          <h2>One tensor</h2>
          <div class="controls">
            <label class="field">
              tensor
              <select
                value={shown.name}
                onChange={({ currentTarget }) => {
                  state.tensor.value = currentTarget.value
                }}
              >
                {tensors.map((one) => (
                  <option key={one.name} value={one.name}>
                    {one.name}
                  </option>
                ))}
              </select>
            </label>
          </div>
          <SortTable name={`Formats of ${shown.name}`} head={measures} rows={shown.ways.map(measured)} />
          <Chart
            xTitle="floor(log2 |value|)"
            yTitle="percent of the values"
            height={200}
            says={`Where the magnitudes of ${shown.name} lie: from 2^${shown.magnitudes.x[0] ?? 0} to 2^${shown.magnitudes.x.at(-1) ?? 0}.`}
            series={[{ name: 'values', color: 'blue', ...shown.magnitudes }]}
          >
            Where the magnitudes of {readable(shown.values, 4)} values lie; zeros are not counted
            {shown.notFinite > 0 ? `, and ${readable(shown.notFinite)} are Inf or NaN` : ''}.
          </Chart>
        </>
      )}
      {run.skipped.value.length > 0 && (
        <p>Left out: {run.skipped.value.map(({ name: one, why }) => `${one} (${why})`).join(', ')}.</p>
      )}
      <p>
        SQNR is the sum of squares over that of the errors. Clipped: beyond the largest number there is.
        Underflowed: not zero before, and zero after. Shares are of the finite values, and bits count the
        scales: as <code>tpu-toolkit quantize</code> says it.
      </p>
      <ShowCode code={fileCode(name || 'model.safetensors', shown, schemes)} />
    </>
  )
}

function Formats({ schemes }: { readonly schemes: readonly string[] }) {
  const set = (name: string, wanted: boolean): void => {
    state.formats.value = schemeNames
      .filter((one) => (one === name ? wanted : schemes.includes(one)))
      .join(',')
  }
  return (
    <>
      <details>
        <summary>Formats: {schemes.length === 0 ? 'none' : schemes.join(', ')}</summary>
        <fieldset class="controls">
          <legend>Formats and block schemes</legend>
          {schemeNames.map((name) => (
            <label key={name} class="field beside">
              <input
                type="checkbox"
                checked={schemes.includes(name)}
                onChange={({ currentTarget }) => set(name, currentTarget.checked)}
              />
              {name}
            </label>
          ))}
        </fieldset>
      </details>
      <div class="controls">
        <Choice
          label="how they are applied, where they have it"
          value={state.way}
          names={fileWayNames}
          said={{ usual: 'plain; MX floor; NVFP4 two levels', scaled: 'scaled: a float32 for each tensor' }}
        />
      </div>
    </>
  )
}

function verdict(name: string): string {
  const { state: at, opened, tensors, share, milliseconds } = run
  const of = opened.value ? `${name}: ${bytesText(opened.value.bytes)} of ${opened.value.kind}` : name
  switch (at.value) {
    case 'waiting':
      return 'No file is open.'
    case 'failed':
      return `${name} is refused.`
    case 'stopped':
      return name === '' ? 'No file is open.' : `${of}: stopped at ${(100 * share.value).toFixed(0)} %.`
    case 'reading':
      return `${of}: ${(100 * share.value).toFixed(0)} % read, ${tensors.value.length} of ${opened.value?.tensors ?? '…'} tensors done.`
    default:
      return tensors.value.length === 0
        ? `${of}: no float tensor in it.`
        : `${of}: ${tensors.value.length} tensor${tensors.value.length === 1 ? '' : 's'} quantised in ${(milliseconds.value / 1000).toFixed(1)} s.`
  }
}

const measures = ['format', 'bits', 'SQNR, dB', 'clipped', 'underflowed', 'overflowed', 'largest error']

function measured({ scheme, way, bits, sqnr, clipped, underflowed, overflowed, maxError }: WayRow) {
  return [
    `${scheme} ${way}`,
    { said: readable(bits, 4), value: bits },
    { said: decibels(sqnr), value: sqnr },
    ...[clipped, underflowed, overflowed].map((share) => ({ said: shareText(share), value: share })),
    { said: readable(maxError), value: maxError },
  ]
}

const shareText = (share: number): string => (share === 0 ? '0 %' : `${readable(100 * share)} %`)

const decibels = (sqnr: number): string =>
  sqnr === Infinity ? 'exact' : sqnr === -Infinity ? '-' : readable(sqnr)
