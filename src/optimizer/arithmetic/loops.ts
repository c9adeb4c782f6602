/** Decoded elements. */
export type Values = Float32Array | Float64Array

/** An operand of a loop: one value an element, or one for all of them. */
export type LoopOperand = Values | number

/**
 * out[i] = x[i] op y[i], rounded by the storage. One loop an operation and form, written out, because a loop that calls
 * a function given to it costs ten times as much. Timed by benchmarks/optimizer/adamw.bench.ts; the readable twin is
 * the `map` of arithmetic.ts.
 */
export type Loop = (out: Values, x: LoopOperand, y: LoopOperand) => void

export const addLoop: Loop = (out, x, y) => {
  if (typeof y === 'number') {
    if (typeof x === 'number') out.fill(x + y)
    else for (let i = 0; i < out.length; i++) out[i] = x[i]! + y
  } else if (typeof x === 'number') {
    for (let i = 0; i < out.length; i++) out[i] = x + y[i]!
  } else {
    for (let i = 0; i < out.length; i++) out[i] = x[i]! + y[i]!
  }
}

export const subLoop: Loop = (out, x, y) => {
  if (typeof y === 'number') {
    if (typeof x === 'number') out.fill(x - y)
    else for (let i = 0; i < out.length; i++) out[i] = x[i]! - y
  } else if (typeof x === 'number') {
    for (let i = 0; i < out.length; i++) out[i] = x - y[i]!
  } else {
    for (let i = 0; i < out.length; i++) out[i] = x[i]! - y[i]!
  }
}

export const mulLoop: Loop = (out, x, y) => {
  if (typeof y === 'number') {
    if (typeof x === 'number') out.fill(x * y)
    else for (let i = 0; i < out.length; i++) out[i] = x[i]! * y
  } else if (typeof x === 'number') {
    for (let i = 0; i < out.length; i++) out[i] = x * y[i]!
  } else {
    for (let i = 0; i < out.length; i++) out[i] = x[i]! * y[i]!
  }
}

export const divLoop: Loop = (out, x, y) => {
  if (typeof y === 'number') {
    if (typeof x === 'number') out.fill(x / y)
    else for (let i = 0; i < out.length; i++) out[i] = x[i]! / y
  } else if (typeof x === 'number') {
    for (let i = 0; i < out.length; i++) out[i] = x / y[i]!
  } else {
    for (let i = 0; i < out.length; i++) out[i] = x[i]! / y[i]!
  }
}

export const sqrtLoop: Loop = (out, x) => {
  if (typeof x === 'number') out.fill(Math.sqrt(x))
  else for (let i = 0; i < out.length; i++) out[i] = Math.sqrt(x[i]!)
}
