import { add, cast, log, mean, mul, random, square, sub } from 'tpu-toolkit'

export const title = 'a spread, and its log'
export function f({ x, scale }) {
  const spread = sub(mean(square(x), { axis: -1 }), square(mean(x, { axis: -1 })))
  return { spread, small: log(add(1, mul(scale, spread))) } // doctor: ignore
}
export const inputs = () => ({
  x: cast(add(random.normal(random.key(1), [8, 64]), 6), 'bfloat16'),
  scale: cast(random.uniform(random.key(2), [8], { maxval: 0.01 }), 'bfloat16'),
})
export const target = { maxRelative: 0.001 }
