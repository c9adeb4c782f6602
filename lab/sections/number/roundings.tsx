import { encode, type FloatFormat, type Rounding, round } from 'tpu-toolkit/formats'
import { DataTable } from '../../parts/dataTable.js'
import { hexOf, said, state, typedNumber } from './numberState.js'

const modes = {
  'nearest-even': 'to the nearest, a tie to the even code',
  'nearest-away': 'to the nearest, a tie away from 0',
  'toward-zero': 'toward 0',
  up: 'up',
  down: 'down',
  'to-odd': 'to the odd code, where it is inexact',
} satisfies Partial<Record<Rounding, string>>

/** The number rounded in every mode, at once and through float32. */
export function Roundings({ record }: { readonly record: FloatFormat }) {
  const x = typedNumber.value
  const single = Math.fround(x)
  const rows = Object.entries(modes).map(([mode, about]) => {
    const rounding = mode as keyof typeof modes
    const direct = round(x, record, { rounding })
    const through = round(single, record, { rounding })
    const differs = !Object.is(direct, through)
    return { cells: [rounding, said(direct), hex(direct, record), said(through), about], differs }
  })
  const nearest = rows[0]!
  return (
    <section aria-labelledby="roundings">
      <h2 id="roundings">Rounded in every mode, once and twice</h2>
      {Number.isNaN(x) && record.canonicalNaN === null ? (
        <p>{record.name} has no NaN: what becomes of one, here -0, is no rounding.</p>
      ) : (
        <>
          <DataTable
            name="The number rounded in every mode"
            head={['mode', 'rounded once', 'code', 'through float32 first', 'which is']}
            rows={rows.map(({ cells }) => cells)}
            marked={(row) => rows[row]!.differs}
          />
          <p>
            Rounded at random, it goes {upShare(x, record)}.{' '}
            {nearest.differs
              ? 'Marked rows differ: float32 rounded to a tie that was none, and the second rounding broke it the wrong way.'
              : 'Rounding twice changes nothing here to the nearest.'}
          </p>
        </>
      )}
      <div class="controls">
        <button
          type="button"
          onClick={() => {
            // Just above the middle of 1 and its neighbour: float32 does not have it, and makes it the middle.
            state.number.value = String(1 + record.eps / 2 + 2 ** -40)
          }}
        >
          Show a number that rounding twice gets wrong
        </button>
        <button
          type="button"
          onClick={() => {
            state.number.value = String(1 + record.eps / 2)
          }}
        >
          Show a tie
        </button>
      </div>
    </section>
  )
}

function hex(value: number, record: FloatFormat): string {
  return hexOf(encode(value, record), record)
}

/** How often stochastic rounding goes to which side. */
function upShare(x: number, record: FloatFormat): string {
  if (!Number.isFinite(x)) return 'nowhere: it is not finite'
  const [low, high] = [round(x, record, { rounding: 'down' }), round(x, record, { rounding: 'up' })]
  if (low === high) return 'nowhere: the format has it'
  if (!Number.isFinite(low) || !Number.isFinite(high)) return 'out of the range of the format'
  const share = ((x - low) / (high - low)) * 100
  return `up to ${said(high)} ${share.toFixed(1)} times of 100, else down to ${said(low)}`
}
