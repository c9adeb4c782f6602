import {
  decode,
  decodeArray,
  decodeTable,
  describe as describeCode,
  encode,
  encodeArray,
  type FormatName,
  format,
  formatNames,
  nextDown,
  nextUp,
  ulp,
} from 'tpu-toolkit/formats'
import { add, div, fromBits, mul, sub, type Tensor } from 'tpu-toolkit/tensor'
import { afterAll, describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'
import { ask, versions } from './python.js'

// A live ml_dtypes (float16: NumPy) on random bits and, where a format is narrow, on all of them. Every difference must
// be one of these; each test counts the ones it expects, and the list is printed at the end.
const deviations = {
  'e8m0 below':
    'ml_dtypes takes float8_e8m0fnu values in (2^-127, 1.5 * 2^-127) to 2^-126; here to the nearest, 2^-127',
  'double rounding': 'ml_dtypes rounds float64 to float32 first; here it is rounded once',
  'double rounding of results':
    'ml_dtypes rounds results to float32 first, where small float8_e8m0fnu ones are 0, which is NaN; here once, to 2^-127',
  'NaN payload':
    'payload bits of a NaN survive between float32 and float16 or bfloat16; here they are dropped',
  'NaN sign':
    'the sign of a NaN result, and of a decoded fnuz NaN, is what the machine makes of it; here positive',
  'NaN without NaN': 'as the last, in a format without NaN, which makes it a zero of the other sign',
  'spacing at max':
    'numpy.spacing is the step past the largest value (infinity, NaN or 0); here the one below it',
  'spacing of float16':
    'numpy.spacing at a negative power of two is the step to zero in float16; here as at the positive',
  'no subnormal': 'ml_dtypes.finfo gives float8_e8m0fnu a smallest_subnormal, its smallest value; here null',
} as const
type Deviation = keyof typeof deviations

const counts = new Map<Deviation, Map<string, number>>()
function deviates(why: Deviation, name: string): void {
  const byFormat = counts.get(why) ?? new Map<string, number>()
  counts.set(why, byFormat.set(name, (byFormat.get(name) ?? 0) + 1))
}

afterAll(() => {
  for (const [why, byFormat] of counts) {
    const where = Array.from(byFormat, ([name, count]) => `${name} ${count}`).join(', ')
    console.log(`deviation: ${deviations[why]} [${where}]`)
  }
})

/** Random words by xorshift32. */
function words(count: number, salt: number): Uint32Array {
  let state = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(salt + 1, 0x85ebca6b)) | 1
  return Uint32Array.from({ length: count }, () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state >>> 0
  })
}

type Codes = Uint8Array | Uint16Array
const codesOf = (name: FormatName): typeof Uint8Array | typeof Uint16Array =>
  format(name).bits <= 8 ? Uint8Array : Uint16Array

/** An array of codes of the format. */
function codesFrom(name: FormatName, length: number, codeAt: (i: number) => number): Codes {
  const codes = new (codesOf(name))(length)
  for (let i = 0; i < length; i++) codes[i] = codeAt(i)
  return codes
}

const everyCode = (name: FormatName): Codes => codesFrom(name, 2 ** format(name).bits, (code) => code)

/** All pairs of codes of a narrow format, 2^18 random ones of a wide one. */
function pairs(name: FormatName): [Codes, Codes] {
  const { bits } = format(name)
  const drawn = bits > 8 ? words(2 ** 18, bits) : Uint32Array.from({ length: 2 ** (2 * bits) }, (_, i) => i)
  return [
    codesFrom(name, drawn.length, (i) => drawn[i]! >>> bits),
    codesFrom(name, drawn.length, (i) => drawn[i]! & (2 ** bits - 1)),
  ]
}

/** Random bits, and bits around the format's values and midpoints. */
function float32Operands(name: FormatName): Float32Array {
  const any = words(2 ** 18, 7)
  const table = new Uint32Array(decodeTable(name).buffer)
  const near = words(2 ** 18, 11).map((word) => {
    const step = (word >>> 16) % 7
    return table[word % table.length]! + (step - 3) * 2 ** ((word >>> 20) % 24)
  })
  return new Float32Array(Uint32Array.from([...any, ...near]).buffer)
}

function float64Operands(name: FormatName): Float64Array {
  const any = words(2 ** 18, 13)
  const table = decodeTable(name)
  const near = Array.from(words(2 ** 17, 17), (word) => {
    // Between two neighbours, at the middle and beside it by less than a float32 can tell.
    const value = table[word % table.length]!
    const middle = value + ulp(value, name) / 2
    return middle * (1 + (((word >>> 16) % 5) - 2) * 2 ** -((word >>> 19) % 53))
  })
  return Float64Array.from([...new Float64Array(any.buffer), ...near])
}

/** A value where ml_dtypes' e8m0 leaves the nearest code. */
const inE8m0Gap = (name: FormatName, value: number): boolean =>
  name === 'float8_e8m0fnu' && value > 2 ** -127 && value < 1.5 * 2 ** -127

describe.each(formatNames)(`%s against ${versions} (seed ${seed})`, (name) => {
  const record = format(name)
  const Codes = codesOf(name)
  const nan = (code: number): boolean => Number.isNaN(decode(code, name))

  it('format(name) has the facts of finfo', () => {
    const facts = JSON.parse(Buffer.from(ask('finfo', name)).toString())
    if (record.minSubnormal === null) deviates('no subnormal', name)
    expect(facts).toEqual({
      bits: record.bits,
      eps: record.eps,
      epsneg: 1 - nextDown(1, name),
      iexp: record.exponentBits,
      nexp: record.exponentBits,
      nmant: record.mantissaBits,
      machep: Math.log2(record.eps),
      negep: Math.log2(1 - nextDown(1, name)),
      max: record.max,
      min: record.lowest,
      maxexp: record.maxExponent + 1,
      minexp: record.minExponent,
      smallest_normal: record.minNormal,
      tiny: record.minNormal,
      smallest_subnormal: record.minSubnormal ?? record.minPositive,
    })
  })

  it('decodeArray(every code) equals astype(float32), NaN signs too', () => {
    const codes = everyCode(name)
    const theirs = new Uint32Array(ask('decode', name, codes))
    const ours = new Uint32Array(decodeArray(codes, name).buffer)
    for (let code = 0; code < ours.length; code++) {
      if (ours[code] === theirs[code]) continue
      const sameSign = ours[code]! >>> 31 === theirs[code]! >>> 31
      if (record.bits === 16 && nan(code) && sameSign) {
        deviates('NaN payload', name)
      } else if (record.nan === 'negative-zero' && code === 0x80 && theirs[code] === 0xffc00000) {
        deviates('NaN sign', name)
      } else {
        expect([code, ours[code]]).toEqual([code, theirs[code]])
      }
    }
  })

  it('isnan, isinf, isfinite and signbit of every code are those of describe', () => {
    const codes = everyCode(name)
    const ours = {
      isnan: Array.from(codes, (code) => describeCode(code, name).class === 'nan'),
      isinf: Array.from(codes, (code) => describeCode(code, name).class === 'infinity'),
      isfinite: Array.from(codes, (code) => Number.isFinite(describeCode(code, name).value)),
      signbit: Array.from(codes, (code) => describeCode(code, name).sign === 1),
    }
    for (const [question, expected] of Object.entries(ours)) {
      const theirs = Array.from(new Uint8Array(ask(question, name, codes)), Boolean)
      expect([question, theirs]).toEqual([question, expected])
    }
  })

  it('encodeArray(float32) equals astype', () => {
    const values = float32Operands(name)
    const theirs = new Codes(ask('encode float32', name, values))
    const ours = encodeArray(values, name)
    for (let i = 0; i < ours.length; i++) {
      if (ours[i] === theirs[i]) continue
      if (inE8m0Gap(name, values[i]!) && ours[i] === 0 && theirs[i] === 1) {
        deviates('e8m0 below', name)
      } else if (name === 'float16' && nan(ours[i]!) && nan(theirs[i]!) && (ours[i]! ^ theirs[i]!) < 0x8000) {
        deviates('NaN payload', name)
      } else {
        expect([values[i], ours[i]]).toEqual([values[i], theirs[i]])
      }
    }
  })

  it('encodeArray(float64) equals astype, or astype has rounded through float32', () => {
    const values = float64Operands(name)
    const theirs = new Codes(ask('encode float64', name, values))
    const ours = encodeArray(values, name)
    const twice = encodeArray(Float32Array.from(values), name)
    for (let i = 0; i < ours.length; i++) {
      if (ours[i] === theirs[i]) continue
      const through = Math.fround(values[i]!)
      if (name === 'float16' && nan(ours[i]!) && nan(theirs[i]!) && (ours[i]! ^ theirs[i]!) < 0x8000) {
        deviates('NaN payload', name)
      } else if (Number.isNaN(values[i])) {
        expect([values[i], ours[i]]).toEqual([values[i], theirs[i]])
      } else if (name !== 'float16' && twice[i] === theirs[i]) {
        deviates('double rounding', name)
      } else if (inE8m0Gap(name, through) && twice[i] === 0 && theirs[i] === 1) {
        deviates('e8m0 below', name)
      } else {
        expect([values[i], ours[i]]).toEqual([values[i], theirs[i]])
      }
    }
  })

  it.each([
    ['add', add, (a: number, b: number) => a + b],
    ['subtract', sub, (a: number, b: number) => a - b],
    ['multiply', mul, (a: number, b: number) => a * b],
    ['divide', div, (a: number, b: number) => a / b],
  ] as const)('%s of tensors, and rounded once from float64, equals theirs', (question, tensorOp, op) => {
    const [a, b] = pairs(name)
    const theirs = new Codes(ask(question, name, a, b))
    const asTensor = (codes: Codes): Tensor => fromBits(codes, { shape: [codes.length], dtype: name })
    const tensors = tensorOp(asTensor(a), asTensor(b)).toBits()
    const table = decodeTable(name)
    for (let i = 0; i < a.length; i++) {
      const exact = op(table[a[i]!]!, table[b[i]!]!)
      const code = encode(exact, name)
      if (tensors[i] !== code) {
        expect([question, a[i], b[i], tensors[i]]).toEqual([question, a[i], b[i], code])
      }
      if (code === theirs[i]) continue
      if (nan(code) && nan(theirs[i]!)) {
        deviates('NaN sign', name)
      } else if (Number.isNaN(exact) && (theirs[i]! & record.magnitudeMask) === 0) {
        deviates('NaN without NaN', name)
      } else if (Math.fround(exact) === 0 && exact > 0 && nan(theirs[i]!)) {
        deviates('double rounding of results', name)
      } else if (inE8m0Gap(name, exact) && code === 0 && theirs[i] === 1) {
        deviates('e8m0 below', name)
      } else {
        expect([question, a[i], b[i], code]).toEqual([question, a[i], b[i], theirs[i]])
      }
    }
  })

  it.each([
    ['equal', (a: number, b: number) => a === b],
    ['not_equal', (a: number, b: number) => a !== b],
    ['less', (a: number, b: number) => a < b],
    ['less_equal', (a: number, b: number) => a <= b],
    ['greater', (a: number, b: number) => a > b],
    ['greater_equal', (a: number, b: number) => a >= b],
  ] as const)('%s of the decoded values equals theirs', (question, compare) => {
    const [a, b] = pairs(name)
    const theirs = new Uint8Array(ask(question, name, a, b))
    const table = decodeTable(name)
    for (let i = 0; i < a.length; i++) {
      const ours = Number(compare(table[a[i]!]!, table[b[i]!]!))
      if (ours !== theirs[i]) expect([question, a[i], b[i], ours]).toEqual([question, a[i], b[i], theirs[i]])
    }
  })

  it('nextUp and nextDown are the steps of nextafter', () => {
    const [a, b] = pairs(name)
    const theirs = new Codes(ask('nextafter', name, a, b))
    const table = decodeTable(name)
    for (let i = 0; i < a.length; i++) {
      const [from, to] = [table[a[i]!]!, table[b[i]!]!]
      const value =
        from < to
          ? nextUp(from, name)
          : from > to
            ? nextDown(from, name)
            : from + to === from
              ? from
              : Number.NaN
      const expected = from === to ? to : value
      if (!Object.is(expected, decode(theirs[i]!, name))) {
        expect([a[i], b[i], expected]).toEqual([a[i], b[i], decode(theirs[i]!, name)])
      }
    }
  })

  it('ulp is spacing, of either sign', () => {
    const codes = everyCode(name)
    const theirs = decodeArray(new Codes(ask('spacing', name, codes)), name)
    for (const code of codes) {
      const value = decode(code, name)
      const expected = Number.isFinite(value) ? ulp(value, name) : Number.NaN
      if (Object.is(Math.abs(theirs[code]!), expected)) continue
      const power = value < 0 && describeCode(code, name).mantissa === 0
      if (Math.abs(value) === record.max) {
        deviates('spacing at max', name)
      } else if (name === 'float16' && power && theirs[code] === expected / 2) {
        deviates('spacing of float16', name)
      } else {
        expect([value, expected]).toEqual([value, theirs[code]])
      }
    }
  })
})
