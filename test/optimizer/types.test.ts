import { valueAndGrad } from 'tpu-toolkit/autodiff'
import { dynamicLossScale, storedParams } from 'tpu-toolkit/lowprecision'
import {
  adamw,
  applyGradients,
  applyUpdates,
  chain,
  clipByGlobalNorm,
  ema,
  emaUpdate,
  type GradientTransformation,
  incrementalUpdate,
  type LookaheadParams,
  lookahead,
  makeTrainStep,
  masked,
  multiTransform,
  type Point,
  type State,
  scale,
  sgd,
  zeroNans,
} from 'tpu-toolkit/optimizer'
import { mean, mul, square, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { leavesOf, mapTree, type Tree, type Treelike } from 'tpu-toolkit/tree'
import { describe, expect, expectTypeOf, it } from 'vitest'

// An interface has no index signature: it is no Tree to the compiler, and parameters all the same.
interface Layer {
  readonly w: Tensor
  readonly b: Tensor
}
interface Net {
  readonly layers: readonly Layer[]
  readonly head: Tensor
}

const net: Net = { layers: [{ w: tensor([2]), b: tensor([1]) }], head: tensor([4]) }
const loss = ({ layers, head }: Net, x: Tensor): Tensor =>
  layers.reduce((total, { w }) => mean(mul(square(w), total)), mean(mul(head, x)))

describe('parameters typed by an interface', () => {
  it('applyUpdates, emaUpdate, incrementalUpdate return what they were given', () => {
    expectTypeOf(applyUpdates(net, net)).toEqualTypeOf<Net>()
    expectTypeOf(emaUpdate(net, net)).toEqualTypeOf<Net>()
    expectTypeOf(incrementalUpdate(net, net, 0.5)).toEqualTypeOf<Net>()
    expect(applyUpdates(net, net).layers[0]?.w.item()).toBe(4)
  })

  it('update of any transform gives updates of the type of the gradients', () => {
    const transform = multiTransform(
      { up: chain(clipByGlobalNorm(1), masked(scale(2), true)), down: ema(0.9) },
      { layers: 'up', head: 'down' },
    )
    const [updates] = transform.update(net, transform.init(net), net)
    expectTypeOf(updates).toEqualTypeOf<Net>()
    expect(updates.layers[0]?.w.dtype).toBe('float32')
  })

  it('masks and labels may be functions of the parameters in their own type', () => {
    const weightsOnly = ({ layers }: Net) => ({
      layers: layers.map(() => ({ w: true, b: false })),
      head: false,
    })
    const [updates] = masked(scale(2), weightsOnly).update(net, { inner: {} })
    expectTypeOf(updates).toEqualTypeOf<Net>()
    expect(leavesOf(updates).map((x) => x.item())).toEqual([4, 1, 4])
  })

  it('makeTrainStep(valueAndGrad(f), adamw(...)) takes and gives points of them', () => {
    const optimizer = adamw({ learningRate: 0.1 })
    const step = makeTrainStep(valueAndGrad(loss), optimizer)
    let point: Point<ReturnType<typeof optimizer.init>, Net> = { params: net, state: optimizer.init(net) }
    for (let i = 0; i < 2; i++) point = step(point, tensor([1]))
    expectTypeOf(step(point, tensor([1])).params).toEqualTypeOf<Net>()
    expectTypeOf(step(point, tensor([1])).loss).toEqualTypeOf<Tensor>()
    // The first link's state is Adam's.
    expect(point.state[0].count).toBe(2)
    expectTypeOf(applyGradients(optimizer, net, point).params).toEqualTypeOf<Net>()
  })

  it('storedParams and dynamicLossScale keep the structure; leaves are tensors of any dtype', () => {
    const by = dynamicLossScale(storedParams(sgd({ learningRate: 1 }), { mode: 'kahan' }))
    const start = by.init(net)
    const params: Net = start.params
    expect(params.head.dtype).toBe('bfloat16')
    expectTypeOf(by.step(net, start).params).toEqualTypeOf<typeof start.params>()
    const narrow = storedParams(sgd({ learningRate: 1 }), { mode: 'nearest' }).init({ w: tensor([1]) })
    expectTypeOf(narrow.params).toEqualTypeOf<{ w: Tensor }>()
  })

  it('lookahead takes gradients of the fast ones and gives updates of the pair', () => {
    const optimizer = lookahead(sgd({ learningRate: 1 }), { syncPeriod: 1, slowStepSize: 0.5 })
    const pair: LookaheadParams<Net> = { fast: net, slow: net }
    const [updates] = optimizer.update(net, optimizer.init(pair), pair)
    expectTypeOf(updates).toEqualTypeOf<LookaheadParams<Net>>()
    expectTypeOf(
      applyGradients(optimizer, net, { params: pair, state: optimizer.init(pair) }).params,
    ).toEqualTypeOf<LookaheadParams<Net>>()
  })
})

describe('what is no tree of tensors', () => {
  it('does not compile where it is no object', () => {
    // @ts-expect-error
    expect(() => applyUpdates(3, net)).toThrow(TypeError)
    // @ts-expect-error
    expect(() => applyUpdates('w', net)).toThrow(TypeError)
    // @ts-expect-error
    expect(() => applyUpdates(null, net)).toThrow(TypeError)
  })
})

describe('a tree of parameters with a number in it', () => {
  it('does not compile where an optimizer, applyUpdates, emaUpdate or a stepper take it', () => {
    const optimizer = adamw({ learningRate: 0.1 })
    const stepper = storedParams(optimizer, { mode: 'kahan' })
    interface Wrong extends Net {
      readonly rate: number
    }
    const wrong: Wrong = { ...net, rate: 3 }
    // @ts-expect-error a number is no tensor
    expect(() => optimizer.init({ w: 3 })).toThrow(TypeError)
    // @ts-expect-error nor is one further in
    expect(() => optimizer.init([{ w: tensor([1]) }, { w: tensor([1]), rate: 3 }])).toThrow(TypeError)
    // @ts-expect-error nor one in an interface
    expect(() => optimizer.init(wrong)).toThrow(TypeError)
    // @ts-expect-error nor is a text
    expect(() => chain(scale(1), optimizer).init({ w: 'w' })).toThrow(TypeError)
    // @ts-expect-error a number is no tensor
    expect(() => applyUpdates({ w: 3 }, net)).toThrow(TypeError)
    // @ts-expect-error a number is no tensor
    expect(() => emaUpdate({ w: 3 }, { w: 3 })).toThrow(TypeError)
    // @ts-expect-error a number is no tensor
    expect(() => incrementalUpdate({ w: 3 }, { w: 3 }, 0.5)).toThrow(TypeError)
    // @ts-expect-error a number is no tensor
    expect(() => stepper.init({ w: 3 })).toThrow(TypeError)
  })

  it('is told from trees of tensors that say less of themselves', () => {
    const optimizer = sgd({ learningRate: 1 })
    const some: Readonly<Record<string, Tensor>> = { w: tensor([1]) }
    const lesser: { readonly w: Tensor; readonly b?: Tensor } = { w: tensor([1]) }
    const unknown: object = some
    const generic = <P extends Treelike>(params: P) => optimizer.init(params)
    const states = [some, lesser, unknown, net, [], {}, tensor([1])].map(generic)
    states.push(optimizer.init(some), optimizer.init(lesser), optimizer.init(unknown), optimizer.init([]))
    states.push(
      optimizer.init(tensor([1])),
      optimizer.init({}),
      optimizer.init([tensor([1]), some, [lesser]]),
    )
    expect(new Set(states.map((state) => JSON.stringify(state))).size).toBe(1)
  })
})

describe('a transformation of one’s own', () => {
  it('is typed by what mapTree returns', () => {
    const halve: GradientTransformation<{ readonly count: number }> = {
      init: () => ({ count: 0 }),
      update: (updates, { count }) => [mapTree((u): Tensor => mul(u, 0.5), updates), { count: count + 1 }],
    }
    const [updates, state] = chain(halve, zeroNans()).update(net, [{ count: 0 }, { foundNan: [] }])
    expectTypeOf(updates).toEqualTypeOf<Net>()
    expectTypeOf(state[0]).toEqualTypeOf<{ readonly count: number }>()
    expect([updates.head.item(), state[0].count]).toEqual([2, 1])
  })

  it('state of a chain of unknown links is a list', () => {
    const links: GradientTransformation[] = [scale(1), scale(2)]
    expectTypeOf(chain(...links).init(net)).toEqualTypeOf<State[]>()
    expect(chain(...links).init(net)).toEqual([{}, {}])
  })
})

describe('parameters typed Tree', () => {
  it('stay Tree', () => {
    const make = (): Tree => ({ w: tensor([1]) })
    const tree = make()
    expectTypeOf(applyUpdates(tree, tree)).toExtend<Tree>()
    expectTypeOf(mapTree((x) => x.size, tree)).toEqualTypeOf<Tree<number>>()
    expect(mapTree((x) => x.size, tree)).toEqual({ w: 1 })
  })
})
