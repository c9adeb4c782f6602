import { computed, type ReadonlySignal } from '@preact/signals'
import {
  defineFormat,
  encode,
  type FloatFormat,
  type FormatName,
  format,
  formatNames,
  type NaNCodes,
} from 'tpu-toolkit/formats'
import { flag, numberFrom, oneOf, sectionState, text } from '../../shell/urlState.js'

export const formatChoices: readonly (FormatName | 'own')[] = [...formatNames, 'own']
export const nanChoices: readonly NaNCodes[] = ['ieee', 'top', 'negative-zero', 'none']

/** What the section shows. The number is text, so that it may be a decimal, a fraction of powers, NaN or Infinity. */
export const state = sectionState('number', {
  format: oneOf(formatChoices, 'bfloat16'),
  number: text('0.1', 60),
  exponent: numberFrom(1, 8, 4, 1),
  mantissa: numberFrom(0, 10, 2, 1),
  bias: numberFrom(-20, 200, 7, 1),
  nan: oneOf(nanChoices, 'ieee'),
  infinity: flag(true),
  outlier: numberFrom(0, 12, 5),
})

/** The format chosen, or why there is none. */
export const chosen: ReadonlySignal<FloatFormat | Error> = computed(() => {
  if (state.format.value !== 'own') return format(state.format.value)
  try {
    return defineFormat({
      name: 'own',
      exponentBits: state.exponent.value,
      mantissaBits: state.mantissa.value,
      bias: state.bias.value,
      nan: state.nan.value,
      infinity: state.infinity.value,
    })
  } catch (thrown) {
    return thrown instanceof Error ? thrown : new Error(String(thrown))
  }
})

/** The number that is typed: a decimal, or `a * 2^b`, or `2^b`. Undefined where it is none. */
export function readNumber(typed: string): number | undefined {
  const plain = typed.trim().replaceAll('−', '-')
  if (/^[-+]?(inf|infinity)$/i.test(plain)) return plain.startsWith('-') ? -Infinity : Infinity
  if (/^nan$/i.test(plain)) return Number.NaN
  const [, sign = '', factor = '1', power] =
    /^([-+]?)(?:([\d.]+)\s*[*x×]\s*)?2\s*\^\s*([-+]?\d+)$/.exec(plain) ?? []
  const value = power === undefined ? Number(plain) : Number(`${sign}1`) * Number(factor) * 2 ** Number(power)
  return plain === '' || Number.isNaN(value) ? undefined : value
}

/** The number as it is typed, NaN where it is none. */
export const typedNumber: ReadonlySignal<number> = computed(
  () => readNumber(state.number.value) ?? Number.NaN,
)

/** The code that the number rounds to in the format. */
export function codeOf(value: number, record: FloatFormat): number {
  if (Number.isNaN(value) && record.canonicalNaN === null) return 0
  return encode(value, record)
}

/** Digits of a code, as many as its width asks for. */
export function hexOf(code: number, { bits }: FloatFormat): string {
  return `0x${code.toString(16).padStart(Math.ceil(bits / 4), '0')}`
}

/** A value with its sign, zeros too. */
export function said(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  return Object.is(value, -0)
    ? '-0'
    : value === Infinity
      ? 'Inf'
      : value === -Infinity
        ? '-Inf'
        : String(value)
}
