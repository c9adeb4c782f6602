import type { FloatFormat } from 'tpu-toolkit/formats'
import { Check, Choice, NumberField } from '../../parts/controls.js'
import { Failed } from '../../parts/failed.js'
import { ShowCode } from '../../parts/showCode.js'
import { Bits } from './bits.js'
import { Blocks } from './blocks.js'
import { CodeMap } from './codeMap.js'
import { NumberLine } from './numberLine.js'
import { chosen, codeOf, formatChoices, nanChoices, readNumber, state, typedNumber } from './numberState.js'
import { Roundings } from './roundings.js'

/** One number in one format: its bits, its neighbours, how it rounds. */
export function NumberSection() {
  const record = chosen.value
  return (
    <>
      <div class="controls">
        <Choice label="format" value={state.format} names={formatChoices} said={{ own: 'one of your own' }} />
        <NumberInput />
      </div>
      {state.format.value === 'own' && (
        <fieldset class="controls">
          <legend>Its facts</legend>
          <NumberField label="exponent bits" value={state.exponent} min={1} max={8} step={1} />
          <NumberField label="mantissa bits" value={state.mantissa} min={0} max={10} step={1} />
          <NumberField label="bias" value={state.bias} min={-20} max={200} step={1} />
          <Choice
            label="NaN"
            value={state.nan}
            names={nanChoices}
            said={{
              ieee: 'as in IEEE 754',
              top: 'the largest code',
              'negative-zero': 'in the place of -0',
              none: 'none',
            }}
          />
          <Check label="has infinities" value={state.infinity} />
        </fieldset>
      )}
      {record instanceof Error ? (
        <Failed what="There is no such format" why={record.message} />
      ) : (
        <Shown record={record} />
      )}
    </>
  )
}

function NumberInput() {
  const wrong = readNumber(state.number.value) === undefined
  return (
    <label class="field">
      number
      <input
        type="text"
        value={state.number.value}
        spellcheck={false}
        aria-invalid={wrong}
        onInput={({ currentTarget }) => {
          state.number.value = currentTarget.value.slice(0, 60)
        }}
      />
      {wrong && <span role="alert">This is no number: a decimal, 3 * 2^-9, Infinity and NaN are.</span>}
    </label>
  )
}

function Shown({ record }: { readonly record: FloatFormat }) {
  const code = codeOf(typedNumber.value, record)
  return (
    <>
      <Bits record={record} code={code} />
      <NumberLine record={record} code={code} />
      <Roundings record={record} />
      <CodeMap record={record} code={code} />
      <Blocks />
      <ShowCode code={program(record)} />
    </>
  )
}

function program(record: FloatFormat): string {
  const own = state.format.value === 'own'
  const { exponentBits, mantissaBits, bias, nan, infinity } = record
  const facts = `{ name: 'own', exponentBits: ${exponentBits}, mantissaBits: ${mantissaBits}, bias: ${bias}, nan: '${nan}', infinity: ${infinity} }`
  const value = typedNumber.value
  const x = Object.is(value, -0) ? '-0' : String(value)
  return `import { ${own ? 'defineFormat, ' : ''}describe, encode, nextDown, nextUp, round, ulp } from 'tpu-toolkit/formats'

const format = ${own ? `defineFormat(${facts})` : `'${record.name}'`}
const x = ${x}
const code = encode(x, format)
console.log(describe(code, format))
console.log(nextDown(round(x, format), format), nextUp(round(x, format), format), ulp(x, format))
for (const rounding of ['nearest-even', 'nearest-away', 'toward-zero', 'up', 'down', 'to-odd'] as const) {
  console.log(rounding, round(x, format, { rounding }), round(Math.fround(x), format, { rounding }))
}
`
}
