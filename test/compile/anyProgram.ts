import { unaryNames } from 'tpu-toolkit/functions'
import type { DType, FloatDType, Shape, Tensor } from 'tpu-toolkit/tensor'
import * as t from 'tpu-toolkit/tensor'

/** A random function of tensors, and arguments for it. */
export interface AnyProgram {
  readonly f: (args: readonly Tensor[]) => Tensor[]
  readonly args: readonly Tensor[]
  /** Fresh arguments of the same shapes and dtypes. */
  readonly again: () => readonly Tensor[]
  /** The names of its operations. */
  readonly names: readonly string[]
}

/** A value computed from the ones before it; undefined where the draw does not fit them. */
type Maker = (pool: readonly Tensor[]) => { run: (pool: readonly Tensor[]) => Tensor } | undefined

const small: readonly Shape[] = [
  [],
  [1],
  [4],
  [7],
  [3, 4],
  [1, 4],
  [3, 1],
  [2, 3, 4],
  [5, 33],
  [40, 70],
  [4, 1, 3],
]

/** Shapes of which a step is worth splitting over threads. */
export const large: readonly Shape[] = [[], [40003], [151, 203], [151, 1], [203], [5, 63, 131], [5, 1, 131]]

/** Elements that a value may have: of every element by every other there are gigabytes. */
const most = 2 ** 20

/** A program over all operations, dtypes, orders and broadcasts, by a stream of uniform numbers. */
export function anyProgram(draw: () => number, sizes: readonly Shape[] = small): AnyProgram {
  const below = (n: number): number => Math.floor(draw() * n)
  const pick = <T>(items: readonly T[]): T => items[below(items.length)]!
  const main = pick<DType>([...t.dtypes, 'bfloat16', 'bfloat16', 'float32', 'float16', 'float8_e4m3fn'])

  function shape(): number[] {
    if (draw() < 0.06) return pick([[0], [0, 3], [2, 0]])
    return [...pick(sizes)]
  }

  /** Elements of every kind: ordinary, tiny, huge, both zeros, infinities, NaN. */
  function elements(dtype: DType, of: Shape): Tensor {
    const size = t.sizeOf(of)
    if (dtype === 'bool') {
      return t.tensor(
        Array.from({ length: size }, () => below(2)),
        { shape: of, dtype },
      )
    }
    if (!t.isFloat(dtype)) {
      const { signed } = t.dtypeFacts(dtype)
      const values = Array.from({ length: size }, () => below(signed ? 9 : 7) - (signed ? 4 : 0))
      return t.cast(t.tensor(values, { shape: of, dtype: 'int32' }), dtype)
    }
    const { max, minPositive, minNormal } = t.dtypeFacts(dtype)
    const wild = draw() < 0.4
    const value = (): number => {
      const sign = draw() < 0.5 ? -1 : 1
      if (!wild || draw() < 0.7) return sign * (draw() * 3)
      return (
        sign *
        pick([
          0,
          minPositive,
          minNormal * draw(),
          minNormal,
          max,
          max * draw(),
          Infinity,
          1,
          2 ** (draw() * 40 - 20),
        ])
      )
    }
    const values = Float64Array.from({ length: size }, () => (wild && draw() < 0.03 ? Number.NaN : value()))
    return t.cast(t.tensor(values, { shape: of, dtype: 'float64' }), dtype)
  }

  const any = (pool: readonly Tensor[], test: (x: Tensor) => boolean): number | undefined => {
    const fitting = pool.map((_, i) => i).filter((i) => test(pool[i]!))
    return fitting.length === 0 ? undefined : pick(fitting)
  }
  const fits = (a: Tensor, b: Tensor): boolean => {
    let size = 1
    for (let k = 1; k <= Math.max(a.rank, b.rank); k++) {
      const [m = 1, n = 1] = [a.shape.at(-k), b.shape.at(-k)]
      if (m !== n && m !== 1 && n !== 1) return false
      size *= m === 1 ? n : m
    }
    return size <= most
  }
  const float = (x: Tensor): boolean => t.isFloat(x.dtype)
  const nonEmpty = (x: Tensor): boolean => x.size > 0
  const one =
    (test: (x: Tensor) => boolean, f: (x: Tensor) => Tensor): Maker =>
    (pool) => {
      const i = any(pool, test)
      return i === undefined ? undefined : { run: (now) => f(now[i]!) }
    }
  const two =
    (test: (x: Tensor) => boolean, f: (a: Tensor, b: Tensor) => Tensor): Maker =>
    (pool) => {
      const i = any(pool, test)
      if (i === undefined) return undefined
      const j = any(pool, (x) => x.dtype === pool[i]!.dtype && fits(x, pool[i]!))!
      return { run: (now) => f(now[i]!, now[j]!) }
    }
  const number = (x: Tensor): boolean => x.dtype !== 'bool'
  const how = (x: Tensor): t.AccumulateOptions => {
    if (!float(x)) return {}
    const accumulate = pick<FloatDType | undefined>([undefined, 'float32', 'float32', 'float64', 'bfloat16'])
    const order = pick<t.Order | undefined>([
      undefined,
      undefined,
      undefined,
      'pairwise',
      'kahan',
      { blocked: 3 },
    ])
    return { ...(accumulate ? { accumulate } : {}), ...(order ? { order } : {}) }
  }
  const axisOf = (x: Tensor): number => below(x.rank)

  const arithmetic = [t.add, t.sub, t.mul, t.div, t.minimum, t.maximum, t.pow, t.atan2, t.hypot]
  const whole = [t.add, t.sub, t.mul, t.minimum, t.maximum]
  const ofIntegers = [
    t.bitwiseAnd,
    t.bitwiseOr,
    t.bitwiseXor,
    t.leftShift,
    t.rightShiftLogical,
    t.rem,
    t.truncDiv,
  ]
  const ofBits = [t.bitwiseNot, t.populationCount, t.countLeadingZeros, t.reduceXor]
  const compare = [t.equal, t.notEqual, t.less, t.lessEqual, t.greater, t.greaterEqual]
  const makers: readonly (() => Maker)[] = [
    () => two(float, pick(arithmetic)),
    () => two(float, pick(arithmetic.slice(0, 4))),
    () => two((x) => t.isInteger(x.dtype), pick(whole)),
    () => two((x) => t.isInteger(x.dtype), pick(ofIntegers)),
    () => one((x) => t.isInteger(x.dtype), pick(ofBits) as t.Unary),
    () => two(float, t.rem),
    () => {
      const f = pick(arithmetic.slice(0, 4))
      const c = draw() * 4 - 2
      return one(float, (x) => f(x, c))
    },
    () => {
      // A table of a function over 65,536 codes takes a while to make: of those a few.
      const wide = t.dtypeFacts(main).bits === 16
      const name = pick(
        wide ? (['exp', 'tanh', 'log', 'sigmoid', 'reciprocal', 'floor', 'sign'] as const) : unaryNames,
      )
      return one(
        (x) => float(x) && (wide || t.dtypeFacts(x.dtype).bits !== 16),
        (x) => t.apply(t.ops[name], [x], undefined),
      )
    },
    () => {
      const f = pick([t.exp, t.tanh, t.relu, t.neg, t.abs, t.sqrt, t.square])
      return one(float, f)
    },
    () => two(number, pick(compare)),
    () => {
      const f = pick(compare)
      return one(float, (x) => f(x, 0))
    },
    () => two((x) => x.dtype === 'bool', pick([t.logicalAnd, t.logicalOr, t.equal] as const) as typeof t.add),
    () => one((x) => x.dtype === 'bool', t.logicalNot),
    () => one(number, pick([t.isNaN, t.isInf, t.isFinite])),
    () => (pool) => {
      const c = any(pool, (x) => x.dtype === 'bool')
      if (c === undefined) return undefined
      const i = any(pool, (x) => fits(x, pool[c]!))
      if (i === undefined) return undefined
      const j = any(pool, (x) => x.dtype === pool[i]!.dtype && fits(x, pool[i]!) && fits(x, pool[c]!))!
      return { run: (now) => t.where(now[c]!, now[i]!, now[j]!) }
    },
    () => {
      const dtype = pick(t.dtypes)
      return one(
        () => true,
        (x) => t.cast(x, dtype),
      )
    },
    () => {
      const way = pick<(x: Tensor) => number[]>([(x) => [x.size], (x) => [x.size, 1], (x) => [1, ...x.shape]])
      return one(
        () => true,
        (x) => t.reshape(x, way(x)),
      )
    },
    () =>
      one(
        (x) => x.rank > 1,
        (x) => t.transpose(x),
      ),
    () =>
      one(
        (x) => x.rank > 0,
        (x) => t.flip(x, { axis: 0 }),
      ),
    () =>
      one(
        () => true,
        (x) => t.broadcastTo(x, [2, ...x.shape]),
      ),
    () =>
      one(
        (x) => x.rank > 0 && x.shape[0]! > 1,
        (x) => t.slice(x, [[1, null, 2]]),
      ),
    () =>
      one(
        (x) => x.rank > 0 && x.shape[0]! > 0,
        (x) => t.take(x, [0, x.shape[0]! - 1, 0], { axis: 0 }),
      ),
    () => (pool) => {
      const i = any(pool, (x) => x.rank > 0)
      if (i === undefined) return undefined
      const j = any(pool, (x) => x.dtype === pool[i]!.dtype && x.shape.join() === pool[i]!.shape.join())!
      return { run: (now) => t.concat([now[i]!, now[j]!]) }
    },
    () => one((x) => x.rank > 1, pick([t.tril, t.triu])),
    () => (pool) => {
      const i = any(pool, (x) => number(x))
      if (i === undefined) return undefined
      const x = pool[i]!
      const options = {
        ...how(x),
        ...(x.rank > 0 && draw() < 0.7 ? { axis: axisOf(x) } : {}),
        keepDims: draw() < 0.5,
      }
      const f = float(x) && draw() < 0.4 ? t.mean : t.sum
      return { run: (now) => f(now[i]!, options) }
    },
    () => (pool) => {
      const i = any(pool, (x) => number(x) && nonEmpty(x))
      if (i === undefined) return undefined
      const axis = pool[i]!.rank > 0 ? { axis: axisOf(pool[i]!) } : {}
      const f = pick([t.max, t.min, t.argmax, t.argmin] as const) as (x: Tensor, o: object) => Tensor
      return { run: (now) => f(now[i]!, axis) }
    },
    () => (pool) => {
      const i = any(pool, (x) => number(x) && x.rank > 0)
      if (i === undefined) return undefined
      const { order: _, ...options } = { axis: axisOf(pool[i]!), ...how(pool[i]!) }
      const f = draw() < 0.7 ? t.cumsum : t.cumprod
      return { run: (now) => f(now[i]!, options) }
    },
    () => (pool) => {
      const i = any(
        pool,
        (x) => number(x) && x.rank > 1 && x.size * x.shape.at(-2)! <= most * x.shape.at(-1)!,
      )
      if (i === undefined) return undefined
      const { order, ...options } = how(pool[i]!)
      return { run: (now) => t.matmul(now[i]!, t.transpose(now[i]!, swapped(now[i]!.rank)), options) }
    },
    () => (pool) => {
      const i = any(pool, (x) => number(x) && x.rank > 1)
      if (i === undefined) return undefined
      const j = any(
        pool,
        (x) =>
          x.dtype === pool[i]!.dtype &&
          x.rank === 2 &&
          x.shape[0] === pool[i]!.shape.at(-1) &&
          pool[i]!.size * x.shape[1]! <= most * x.shape[0]!,
      )
      return j === undefined ? undefined : { run: (now) => t.matmul(now[i]!, now[j]!) }
    },
  ]

  const shapes: { dtype: DType; shape: number[] }[] = Array.from({ length: 2 + below(3) }, () => ({
    dtype: main,
    shape: shape(),
  }))
  if (draw() < 0.5) shapes.push({ dtype: pick(t.dtypes), shape: shape() })
  const again = (): Tensor[] => shapes.map(({ dtype, shape: of }) => elements(dtype, of))
  const args = again()
  const steps: ((pool: readonly Tensor[]) => Tensor)[] = []
  const pool: Tensor[] = [...args]
  const names: string[] = []
  for (let k = 0; k < 40 && steps.length < 14; k++) {
    const made = pick(makers)()(pool)
    if (!made) continue
    let value: Tensor
    try {
      value = t.recordEverything(() => made.run(pool))
    } catch {
      // Not every draw fits: integers to negative powers, bool arithmetic.
      continue
    }
    if (value.size > most) continue
    names.push(value.trace?.op.name ?? 'none')
    pool.push(new t.Tensor(value.dtype, value.shape, value.data))
    steps.push(made.run)
  }
  const kept = steps.map((_, i) => i).filter(() => draw() < 0.5)
  const f = (inputs: readonly Tensor[]): Tensor[] => {
    const values = [...inputs]
    for (const step of steps) values.push(step(values))
    return [...kept.map((i) => values[inputs.length + i]!), ...values.slice(-2)]
  }
  return { f, args, again, names }
}

function swapped(rank: number): number[] {
  const axes = Array.from({ length: rank }, (_, axis) => axis)
  return [...axes.slice(0, -2), rank - 1, rank - 2]
}
