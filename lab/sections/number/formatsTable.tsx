import { type FloatFormat, format, formatNames, ulp } from 'tpu-toolkit/formats'
import { DataTable } from '../../parts/dataTable.js'
import { formatChoices, said, state, typedNumber } from './numberState.js'
import { type Placed, placedIn, placedWide } from './placed.js'
import { PlacedLine } from './placedLine.js'
import { wideFloats, wideNext } from './wideFloats.js'

/** The number in every format: what it rounds to, and where it is between the values of the format. */
export function FormatsTable({ record }: { readonly record: FloatFormat }) {
  const x = typedNumber.value
  const narrow = [
    ...(state.format.value === 'own' ? [record] : []),
    ...formatNames.map((name) => format(name)),
  ]
  const rows = [
    ...narrow.map((one) => ({ placed: placedIn(x, one), ulp: ulp(x, one) })),
    ...wideFloats.map((one) => {
      const placed = placedWide(x, one)
      return { placed, ulp: Math.abs(wideNext(placed.value, 1, one) - placed.value) }
    }),
  ]
  return (
    <section aria-labelledby="every-format">
      <h2 id="every-format">In every format</h2>
      <p>
        Each line goes from the format's next value below to its next above. The red dot is the number, the
        thick stroke what it rounds to, the band all numbers that round there; a filled end of the band
        belongs to it, an open one does not.
      </p>
      <DataTable
        name="The number in every format"
        head={[
          'format',
          'between its neighbours',
          'rounds to',
          'off by',
          'in ulp',
          'the numbers that round to it',
        ]}
        rows={rows.map(({ placed, ulp: unit }) => [
          <Named placed={placed} />,
          Number.isNaN(x) ? 'NaN has no place' : <PlacedLine x={x} placed={placed} />,
          said(placed.value),
          ...errors(x, placed.value, unit),
          Number.isNaN(x) ? '' : <Interval placed={placed} />,
        ])}
        marked={(row) => rows[row]!.placed.name === record.name}
      />
      <p class="digits">
        A name chooses its format above. The number itself is the float64 that is nearest to what was typed
        {exactly(x)}.
      </p>
    </section>
  )
}

/** A format, which a press chooses, and the code in it. */
function Named({ placed: { name, code } }: { readonly placed: Placed }) {
  const choice = formatChoices.find((one) => one === name)
  return (
    <>
      {choice === undefined ? (
        name
      ) : (
        <button
          type="button"
          class="plain"
          onClick={() => {
            state.format.value = choice
          }}
        >
          {name}
        </button>
      )}
      <br />
      <code>{code}</code>
    </>
  )
}

/** The error, and the error in units of the last place. */
function errors(x: number, value: number, unit: number): [string, string] {
  const error = value - x
  if (Object.is(x, value) || error === 0) return ['0', '0']
  if (!Number.isFinite(error)) return ['—', '—']
  const ulps = error / unit
  const units = Math.abs(ulps) >= 1000 ? ulps.toExponential(2) : ulps.toFixed(3)
  return [Number(error.toPrecision(4)).toString(), units]
}

/** The two ends: in brackets where an end belongs to it, in parentheses where not. */
function Interval({ placed: { low, high, lowRounds, highRounds } }: { readonly placed: Placed }) {
  return (
    <>
      {`${lowRounds ? '[' : '('}${said(low)},`}
      <br />
      {`${said(high)}${highRounds ? ']' : ')'}`}
    </>
  )
}

/** The float64 in all its digits, where they are more than are shown. */
function exactly(x: number): string {
  if (!Number.isFinite(x) || Number.isInteger(x)) return ''
  const digits = x.toPrecision(100)
  const trimmed = digits.replace(/0+($|e)/, '$1')
  if (Number.isNaN(x) || trimmed === String(x)) return ''
  const whole = trimmed.replace(/[-.]|e.*$/g, '').replace(/^0+/, '').length < 100
  return `, ${whole ? 'exactly' : 'in its first 100 digits'} ${trimmed}`
}
