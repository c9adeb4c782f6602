import { computed, type ReadonlySignal } from '@preact/signals'
import {
  decode,
  defineFormat,
  encode,
  type FloatFormat,
  type FormatName,
  format,
  formatNames,
  type NaNCodes,
} from 'tpu-toolkit/formats'
import { flag, numberFrom, oneOf, sectionState, text } from '../../shell/urlState.js'
import { type ReadNumber, readNumber } from './readNumber.js'

export const formatChoices: readonly (FormatName | 'own')[] = [...formatNames, 'own']
export const nanChoices: readonly NaNCodes[] = ['ieee', 'top', 'negative-zero', 'none']

/** What the section shows. The number is text, so that it may be a decimal, a fraction, a power, a code, NaN or Infinity. */
export const state = sectionState('number', {
  format: oneOf(formatChoices, 'bfloat16'),
  number: text('0.1'),
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

/** The facts by which codes that are typed are read: those of bfloat16 where the own format cannot be. */
const reading: ReadonlySignal<FloatFormat> = computed(() =>
  chosen.value instanceof Error ? format('bfloat16') : chosen.value,
)

/** What is typed: a number, or why it is none. */
export const typed: ReadonlySignal<ReadNumber> = computed(() => readNumber(state.number.value, reading.value))

/** The number that is typed; NaN where it is none, and nothing is shown of it. */
export const typedNumber: ReadonlySignal<number> = computed(() =>
  'refused' in typed.value ? Number.NaN : typed.value.value,
)

/** The code of what is typed in the chosen format: the one that was typed, or the one that the number rounds to. */
export function typedCode(record: FloatFormat): number {
  const read = typed.value
  if ('refused' in read) return 0
  return read.code ?? encode(read.value, record)
}

/** Types a code: as its value, or itself where several codes are NaN. */
export function typeCode(code: number, record: FloatFormat): void {
  const value = decode(code, record)
  state.number.value = Number.isNaN(value) ? hexOf(code, record) : said(value).replace('Inf', 'Infinity')
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
