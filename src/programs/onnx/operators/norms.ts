import {
  add,
  cast,
  div,
  mean,
  mul,
  pow,
  reciprocal,
  reshape,
  sizeOf,
  slice,
  sqrt,
  square,
  sub,
  type Tensor,
} from '../../../tensors/tensor/index.js'
import type { Call, Operator } from './call.js'
import { paddedBy } from './layout.js'
import { inWide, widened } from './wide.js'

/** The axes of x from `axis` on. */
function axesFrom(call: Call, x: Tensor, axis: number): number[] {
  const first = call.axis(axis, x.rank)
  return x.shape.map((_, i) => i).slice(first)
}

function variance(x: Tensor, axis: readonly number[]): [mean: Tensor, variance: Tensor, centred: Tensor] {
  const middle = mean(x, { axis, keepDims: true })
  const centred = sub(x, middle)
  return [middle, mean(square(centred), { axis, keepDims: true }), centred]
}

/** Standardized in float32 (`stash_type`), then cast to the dtype of x, then scaled and shifted in that: the specification's two stages. */
function layerNormalization(call: Call, x?: Tensor, scale?: Tensor, bias?: Tensor): readonly Tensor[] {
  const value = call.need(x, 0)
  const axis = axesFrom(call, value, call.number('axis', -1))
  const [middle, spread, centred] = variance(widened(value), axis)
  const inverse = reciprocal(sqrt(add(spread, call.number('epsilon', 1e-5))))
  const normalized = cast(mul(centred, inverse), value.dtype)
  const scaled = mul(normalized, call.need(scale, 1))
  return [bias ? add(scaled, bias) : scaled, middle, inverse]
}

function rmsNormalization(call: Call, x?: Tensor, scale?: Tensor): Tensor {
  const value = call.need(x, 0)
  const axis = axesFrom(call, value, call.number('axis', -1))
  const wide = widened(value)
  const root = sqrt(add(mean(square(wide), { axis, keepDims: true }), call.number('epsilon', 1e-5)))
  return mul(cast(div(wide, root), value.dtype), call.need(scale, 1))
}

/** A vector of the channels, broadcastable to [batch, channels, ...]. */
function channels(x: Tensor, rank: number): Tensor {
  return reshape(x, [x.size, ...Array.from({ length: Math.max(rank - 2, 0) }, () => 1)])
}

function batchNormalization(call: Call, ...inputs: (Tensor | undefined)[]): readonly Tensor[] {
  const [x, scale, bias, oldMean, oldVariance] = inputs.map((one, i) => call.need(one, i)) as [
    Tensor,
    Tensor,
    Tensor,
    Tensor,
    Tensor,
  ]
  const wide = widened(x)
  const eps = call.number('epsilon', 1e-5)
  const normalized = (middle: Tensor, spread: Tensor): Tensor => {
    const centred = sub(wide, channels(widened(middle), x.rank))
    const standard = div(centred, sqrt(add(channels(widened(spread), x.rank), eps)))
    return cast(
      add(mul(standard, channels(widened(scale), x.rank)), channels(widened(bias), x.rank)),
      x.dtype,
    )
  }
  if (!call.flag('training_mode')) return [normalized(oldMean, oldVariance)]
  const axis = x.shape.map((_, i) => i).filter((i) => i !== 1)
  const [wideMean, wideVariance] = variance(wide, axis)
  const [middle, spread] = [reshape(wideMean, [scale.size]), reshape(wideVariance, [scale.size])]
  const momentum = call.number('momentum', 0.9)
  const running = (old: Tensor, now: Tensor): Tensor =>
    cast(add(mul(widened(old), momentum), mul(now, 1 - momentum)), old.dtype)
  return [normalized(middle, spread), running(oldMean, middle), running(oldVariance, spread)]
}

function instanceNormalization(call: Call, x?: Tensor, scale?: Tensor, bias?: Tensor): Tensor {
  const value = call.need(x, 0)
  const axis = value.shape.map((_, i) => i).slice(2)
  return inWide(value, (wide) => {
    const [, spread, centred] = variance(wide, axis)
    const standard = div(centred, sqrt(add(spread, call.number('epsilon', 1e-5))))
    const [gain, shift] = [scale, bias].map((one, i) =>
      channels(widened(call.need(one, i + 1)), value.rank),
    ) as [Tensor, Tensor]
    return add(mul(standard, gain), shift)
  })
}

function groupNormalization(call: Call, x?: Tensor, scale?: Tensor, bias?: Tensor): Tensor {
  const value = call.need(x, 0)
  const groups = call.number('num_groups', 1)
  const [batch, count, ...spatial] = value.shape as [number, number, ...number[]]
  const grouped = reshape(widened(value), [batch, groups, (count / groups) * sizeOf(spatial)])
  const [, spread, centred] = variance(grouped, [2])
  const standard = div(centred, sqrt(add(spread, call.number('epsilon', 1e-5))))
  const [gain, shift] = [scale, bias].map((one, i) => widened(call.need(one, i + 1))) as [Tensor, Tensor]
  if (gain.size === groups && groups !== count) {
    // Opset 18: a scale and a bias of each group.
    const of = (y: Tensor): Tensor => reshape(y, [groups, 1])
    return cast(reshape(add(mul(standard, of(gain)), of(shift)), value.shape), value.dtype)
  }
  const whole = reshape(standard, value.shape)
  return cast(add(mul(whole, channels(gain, value.rank)), channels(shift, value.rank)), value.dtype)
}

function meanVariance(call: Call, x?: Tensor): Tensor {
  const axis = call.numbers('axes') ?? [0, 2, 3]
  return inWide(call.need(x, 0), (wide) => {
    const [, spread, centred] = variance(wide, axis)
    return div(centred, add(sqrt(spread), 1e-9))
  })
}

/** Response normalization across neighbouring channels. */
function localResponse(call: Call, x?: Tensor): Tensor {
  const size = call.number('size', 1)
  const [alpha, beta, bias] = [call.number('alpha', 1e-4), call.number('beta', 0.75), call.number('bias', 1)]
  return inWide(call.need(x, 0), (wide) => {
    const squares = paddedBy(
      square(wide),
      1,
      Math.floor((size - 1) / 2),
      Math.ceil((size - 1) / 2),
      undefined,
    )
    const count = wide.shape[1]!
    const shifted = Array.from({ length: size }, (_, i) =>
      slice(
        squares,
        wide.shape.map((__, axis) => (axis === 1 ? [i, i + count] : null)),
      ),
    )
    const total = shifted.reduce((a, b) => add(a, b))
    return div(wide, pow(add(mul(total, alpha / size), bias), beta))
  })
}

/** Operators that normalize. */
export const normOperators: Readonly<Record<string, Operator>> = {
  BatchNormalization: batchNormalization,
  GroupNormalization: groupNormalization,
  InstanceNormalization: instanceNormalization,
  LRN: localResponse,
  LayerNormalization: layerNormalization,
  MeanVarianceNormalization: meanVariance,
  RMSNormalization: rmsNormalization,
}
