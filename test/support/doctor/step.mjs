import { add, autodiff, cast, matmul, mean, mul, optimizer, random, square, sub, tanh } from 'tpu-toolkit'

const draw = (seed, shape, deviation) =>
  cast(mul(random.normal(random.key(seed), shape), deviation), 'bfloat16')
const params = { w1: draw(1, [32, 64], 0.3), b1: draw(2, [64], 0.1), w2: draw(3, [64, 1], 0.2) }
const sgd = optimizer.sgd({ learningRate: 5e-4 })
const loss = (p, x, y) => mean(square(sub(matmul(tanh(add(matmul(x, p.w1), p.b1)), p.w2), y)))
export const step = optimizer.makeTrainStep(autodiff.valueAndGrad(loss), sgd)
export const args = [{ params, state: sgd.init(params) }, draw(4, [128, 32], 1), draw(5, [128, 1], 1)]
