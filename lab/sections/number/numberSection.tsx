import type { FloatFormat } from 'tpu-toolkit/formats'
import { Check, Choice, NumberField } from '../../parts/controls.js'
import { Failed } from '../../parts/failed.js'
import { ShowCode } from '../../parts/showCode.js'
import { Bits } from './bits.js'
import { Blocks } from './blocks.js'
import { CodeMap } from './codeMap.js'
import { FormatsTable } from './formatsTable.js'
import { NumberLine } from './numberLine.js'
import { chosen, formatChoices, nanChoices, state, typed, typedCode, typedNumber } from './numberState.js'
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
  const read = typed.value
  const wrong = 'refused' in read
  return (
    <label class="field number-input">
      number
      <input
        type="text"
        value={state.number.value}
        spellcheck={false}
        autocomplete="off"
        aria-invalid={wrong}
        aria-describedby="number-forms"
        onInput={({ currentTarget }) => {
          state.number.value = currentTarget.value
        }}
      />
    </label>
  )
}

function Shown({ record }: { readonly record: FloatFormat }) {
  const read = typed.value
  const code = typedCode(record)
  return (
    <>
      <p id="number-forms" class="hint">
        A decimal, a fraction <code>1/3</code>, powers and sums <code>2**-8</code>, <code>1 + 2^-8</code>, a
        hexadecimal float <code>0x1.8p-3</code>, <code>inf</code>, <code>nan</code>; or a code of the format,{' '}
        <code>0x3dcd</code> or <code>0b0011110111001101</code>, as in <code>tpu-toolkit inspect</code>.
      </p>
      {'refused' in read ? (
        <p class="error" role="alert">
          <strong>This is no number.</strong> {read.refused}
        </p>
      ) : (
        <>
          <Bits record={record} code={code} />
          <NumberLine record={record} code={code} />
          <FormatsTable record={record} />
          <Roundings record={record} />
        </>
      )}
      <CodeMap record={record} code={'refused' in read ? undefined : code} />
      <Blocks />
      {!('refused' in read) && <ShowCode code={program(record)} />}
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
