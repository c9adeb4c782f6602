import { type FormatName, format, rounder } from 'tpu-toolkit/formats'

interface State {
  readonly s: number
  readonly c: number
}

type Step = (state: State, v: number) => State & { readonly result: number }

/** One step of a compensated sum, with what it would return now (before its last rounding). */
function stepOf(order: 'kahan' | 'neumaier', q: (value: number) => number): Step {
  if (order === 'kahan') {
    return ({ s, c }, v) => {
      const y = q(v - c)
      const t = q(s + y)
      const lost = q(q(t - s) - y)
      return { s: t, c: lost, result: t - lost }
    }
  }
  return ({ s, c }, v) => {
    const t = q(s + v)
    const part = Math.abs(s) >= Math.abs(v) ? q(q(s - t) + v) : q(q(v - t) + s)
    const lost = q(c + part)
    return { s: t, c: lost, result: t + lost }
  }
}

/**
 * n terms chosen one after the other against a compensated sum: of 60 draws each time the one that drives its error
 * furthest, for its share of the sum of absolute values. `sign` says which way; `mixed` allows negative terms.
 */
export function hostileTerms(
  order: 'kahan' | 'neumaier',
  n: number,
  dtype: FormatName,
  random: () => number,
  { sign, mixed }: { sign: 1 | -1; mixed: boolean },
): Float64Array {
  const record = format(dtype)
  const q = rounder(record)
  const step = stepOf(order, q)
  const terms = new Float64Array(n)
  let state: State = { s: 0, c: 0 }
  let exact = 0
  let size = 0
  for (let i = 0; i < n; i++) {
    let best = { score: -Infinity, v: 0, next: state }
    for (let draw = 0; draw < 60; draw++) {
      const scale = (Math.abs(state.s) + 1) * 2 ** -Math.floor(random() * 1.6 * record.precision)
      const v = q(i === 0 ? 1 + random() : (random() - (mixed ? 0.5 : 0)) * scale)
      const next = step(state, v)
      const score = (sign * (next.result - exact - v)) / (size + Math.abs(v))
      if (score > best.score) best = { score, v, next }
    }
    terms[i] = best.v
    state = best.next
    exact += best.v
    size += Math.abs(best.v)
  }
  return terms
}
