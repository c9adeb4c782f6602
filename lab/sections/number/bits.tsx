import { useRef } from 'preact/hooks'
import { describe, type FloatFormat, nextDown, nextUp, ulp } from 'tpu-toolkit/formats'
import { hexOf, said, typeCode, typedNumber } from './numberState.js'

/** The bits of a code as buttons: one stop of the tab key, arrows move, space flips. */
export function Bits({ record, code }: { readonly record: FloatFormat; readonly code: number }) {
  const row = useRef<HTMLFieldSetElement>(null)
  const at = useRef(0)
  const { bits, signed, exponentBits } = record
  const facts = describe(code, record)
  const { value } = facts
  const kindOf = (place: number): string =>
    signed && place === 0 ? 'sign' : place < exponentBits + (signed ? 1 : 0) ? 'exponent' : 'mantissa'
  const move = (event: KeyboardEvent): void => {
    const steps: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, Home: -bits, End: bits }
    const step = steps[event.key]
    if (step === undefined) return
    event.preventDefault()
    at.current = Math.min(bits - 1, Math.max(0, at.current + step))
    row.current?.querySelectorAll('button')[at.current]?.focus()
  }
  const finite = Number.isFinite(value)
  return (
    <section aria-label="The code">
      <fieldset class="bits" ref={row} onKeyDown={move}>
        <legend>
          Bits of <code>{hexOf(code, record)}</code>
        </legend>
        {Array.from({ length: bits }, (_, place) => {
          const mask = 2 ** (bits - 1 - place)
          const one = Math.floor(code / mask) % 2 === 1
          return (
            <button
              key={place}
              type="button"
              class={kindOf(place)}
              tabIndex={place === Math.min(at.current, bits - 1) ? 0 : -1}
              aria-pressed={one}
              aria-label={`${one ? 1 : 0}, ${kindOf(place)} bit ${bits - 1 - place}`}
              onFocus={() => {
                at.current = place
              }}
              onClick={() => typeCode(one ? code - mask : code + mask, record)}
            >
              {one ? 1 : 0}
            </button>
          )
        })}
      </fieldset>
      <p class="said" role="status">
        {sentence(typedNumber.value, value, record)}
      </p>
      <dl class="facts">
        <Fact name="class" value={facts.signalling ? 'signalling NaN' : facts.class} />
        <Fact
          name="made of"
          value={finite ? `${facts.sign ? '-' : ''}${facts.significand} × 2^${facts.power}` : 'no number'}
        />
        <Fact name="fields" value={facts.bits} />
        <Fact name="next below" value={said(nextDown(value, record))} />
        <Fact name="next above" value={said(nextUp(value, record))} />
        <Fact name="one ulp here" value={said(ulp(value, record))} />
        <Fact name="largest of the format" value={said(record.max)} />
        <Fact name="smallest above 0" value={said(record.minPositive)} />
      </dl>
    </section>
  )
}

/** What the format makes of the number. */
function sentence(x: number, value: number, record: FloatFormat): string {
  const finite = Number.isFinite(x) && Number.isFinite(value)
  const off = finite && value !== x ? `, off by ${(value - x).toPrecision(4)}` : ''
  const lacks =
    Number.isNaN(x) && record.canonicalNaN === null
      ? ', which has no NaN'
      : !record.signed && x <= 0
        ? ', which has neither 0 nor negative numbers'
        : x === value || !Number.isFinite(x)
          ? ''
          : Math.abs(x) > record.max
            ? `: more than its largest, ${said(record.max)}`
            : ''
  return `${said(x)} is ${said(value)} in ${record.name}${off}${lacks}.`
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}
