import {
  add,
  atan,
  cbrt,
  cos,
  div,
  exp,
  log,
  mul,
  neg,
  pow,
  sin,
  sqrt,
  square,
  sub,
  type Tensor,
  tan,
} from 'tpu-toolkit'

type Inputs = Readonly<Record<string, Tensor>>

/**
 * The 28 expressions of Hamming, Numerical Methods for Scientists and Engineers, chapter 3, as Herbie's benchmarks have them
 * (bench/hamming), written as their users write them.
 */
export const hamming: Readonly<Record<string, (inputs: Inputs) => Tensor>> = {
  '2sqrt': ({ x }) => sub(sqrt(add(x!, 1)), sqrt(x!)),
  '2sin': ({ x, eps }) => sub(sin(add(x!, eps!)), sin(x!)),
  tanhf: ({ x }) => div(sub(1, cos(x!)), sin(x!)),
  '2atan': ({ N }) => sub(atan(add(N!, 1)), atan(N!)),
  '2isqrt': ({ x }) => sub(div(1, sqrt(x!)), div(1, sqrt(add(x!, 1)))),
  '2frac': ({ x }) => sub(div(1, add(x!, 1)), div(1, x!)),
  '2tan': ({ x, eps }) => sub(tan(add(x!, eps!)), tan(x!)),
  '3frac': ({ x }) => add(sub(div(1, add(x!, 1)), div(2, x!)), div(1, sub(x!, 1))),
  '2cbrt': ({ x }) => sub(cbrt(add(x!, 1)), cbrt(x!)),
  '2cos': ({ x, eps }) => sub(cos(add(x!, eps!)), cos(x!)),
  '2log': ({ N }) => sub(log(add(N!, 1)), log(N!)),
  exp2: ({ x }) => add(sub(exp(x!), 2), exp(neg(x!))),
  cos2: ({ x }) => div(sub(1, cos(x!)), mul(x!, x!)),
  expq3: ({ a, b, eps }) =>
    div(
      mul(eps!, sub(exp(mul(add(a!, b!), eps!)), 1)),
      mul(sub(exp(mul(a!, eps!)), 1), sub(exp(mul(b!, eps!)), 1)),
    ),
  logq: ({ eps }) => log(div(sub(1, eps!), add(1, eps!))),
  sqrtexp: ({ x }) => sqrt(div(sub(exp(mul(2, x!)), 1), sub(exp(x!), 1))),
  sintan: ({ x }) => div(sub(x!, sin(x!)), sub(x!, tan(x!))),
  '2nthrt': ({ x, n }) => sub(pow(add(x!, 1), div(1, n!)), pow(x!, div(1, n!))),
  expm1: ({ x }) => sub(exp(x!), 1),
  logs: ({ N }) => sub(sub(mul(add(N!, 1), log(add(N!, 1))), mul(N!, log(N!))), 1),
  invcot: ({ x }) => sub(div(1, x!), div(1, tan(x!))),
  qlog: ({ x }) => div(log(sub(1, x!)), log(add(1, x!))),
  expax: ({ a, x }) => sub(exp(mul(a!, x!)), 1),
  expq2: ({ x }) => div(exp(x!), sub(exp(x!), 1)),
  quadp: ({ a, b, c }) => div(add(neg(b!), sqrt(discriminant(a!, b!, c!))), mul(2, a!)),
  quadm: ({ a, b, c }) => div(sub(neg(b!), sqrt(discriminant(a!, b!, c!))), mul(2, a!)),
  quad2p: ({ a, b, c }) => div(add(neg(b!), sqrt(sub(square(b!), mul(a!, c!)))), a!),
  quad2m: ({ a, b, c }) => div(sub(neg(b!), sqrt(sub(mul(b!, b!), mul(a!, c!)))), a!),
}

function discriminant(a: Tensor, b: Tensor, c: Tensor): Tensor {
  return sub(mul(b, b), mul(4, mul(a, c)))
}
