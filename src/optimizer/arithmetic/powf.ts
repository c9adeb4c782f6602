// Constants: powf_log2_data and exp2f_data of Arm's optimized-routines (MIT), from which glibc has its powf:
// https://github.com/ARM-software/optimized-routines/blob/master/math/powf_log2_data.c and exp2f_data.c

/** 1/c for a c near the middle of each sixteenth of [0x1.66p-1, 0x1.66p0). */
const inverses = [
  1.398907162146528, 1.3403141896637998, 1.286432210124115, 1.2367150214269895, 1.1906977166711752,
  1.1479821020556429, 1.1082251448272158, 1.0711297413057381, 1.036437278977283, 1, 0.9492859795739057,
  0.8951049428609004, 0.8476821620351103, 0.8050314851692001, 0.7664671008843108, 0.731428603316328,
]

/** log2 of each c. */
const logarithms = [
  -0.48430022186289673, -0.42257122959194704, -0.3633754347673556, -0.30651309567405577, -0.25180720160537634,
  -0.19910014943794563, -0.14825100623281615, -0.09913323807318392, -0.051632812977629436, 0,
  0.07508531937943004, 0.15987125980713107, 0.2384046664317681, 0.31288288605863257, 0.38370422656453185,
  0.451211048935815,
]

/** Coefficients of log2(1 + r), those of the high powers first. */
const log2Terms = [
  0.288457581109214, -0.36092606229713164, 0.480898481472577, -0.7213474675006291, 1.4426950408774342,
] as const

/** Coefficients of 2^r - 1, those of the high powers first; |r| <= 1/64. */
const exp2Terms = [0.05550361559341535, 0.2402284522445722, 0.6931471806916203] as const

const bits = new Uint32Array(1)

const float = new Float32Array(bits.buffer)

/**
 * The float32 power as glibc computes it, and with it XLA's CPU backend: not always the nearest value, so that a power
 * of b differs from the rounded one for about one exponent in a hundred.
 *
 * Rounding  log2 of the base and 2 to the product in float64, by short tables and polynomials; one rounding to float32.
 * Special   bases that are not positive normal numbers, infinite exponents and results beyond 2^126 or below 2^-126:
 *           `**`, rounded.
 * Error     0.52 ulp.
 *
 * @example powf(0.5, 3) // 0.125
 */
export function powf(base: number, exponent: number): number {
  const normal = base >= 2 ** -126 && base < Number.POSITIVE_INFINITY
  if (!normal || !Number.isFinite(exponent) || exponent === 0) return Math.fround(base ** exponent)
  float[0] = base
  // base = 2^k z, and z lies in the sixteenth `index` of [0x1.66p-1, 0x1.66p0).
  const offset = (bits[0]! - 0x3f330000) | 0
  const index = (offset >>> 19) & 15
  const k = offset >> 23
  bits[0] = bits[0]! - (k << 23)
  const r = float[0]! * inverses[index]! - 1
  const r2 = r * r
  const [a, b, c, d, e] = log2Terms
  const low = (c * r + d) * r2 + (e * r + (logarithms[index]! + k))
  const product = exponent * ((a * r + b) * (r2 * r2) + low)
  if (Math.abs(product) >= 126) return Math.fround(base ** exponent)
  const whole = Math.round(product * 32)
  const rest = product - whole / 32
  const [p, q, s] = exp2Terms
  return Math.fround(((p * rest + q) * (rest * rest) + (s * rest + 1)) * 2 ** (whole / 32))
}
