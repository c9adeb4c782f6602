import { cast, type Tensor, tensor } from 'tpu-toolkit/tensor'
import {
  foldTree,
  leavesOf,
  mapTree,
  mapTreeWithPath,
  pathsOf,
  replaceLeaves,
  type Tree,
} from 'tpu-toolkit/tree'
import { describe, expect, expectTypeOf, it } from 'vitest'

interface Net {
  readonly layers: { readonly w: Tensor }[]
  readonly head: readonly [Tensor, Tensor]
}

const net: Net = { layers: [{ w: tensor([1]) }], head: [tensor([2]), tensor([3])] }

describe('trees typed by an interface', () => {
  it('leavesOf, pathsOf, foldTree give tensors', () => {
    expectTypeOf(leavesOf(net)).toEqualTypeOf<Tensor[]>()
    expectTypeOf(pathsOf(net)[0]!.leaf).toEqualTypeOf<Tensor>()
    expect(foldTree((n, x) => n + x.size, 0, net)).toBe(3)
  })

  it('mapTree keeps the type where f gives tensors of any dtype, else the structure', () => {
    expectTypeOf(mapTree((x) => x, net)).toEqualTypeOf<Net>()
    expectTypeOf(mapTreeWithPath((_, x) => x, net)).toEqualTypeOf<Net>()
    const sizes = mapTree((x) => x.size, net)
    expectTypeOf(sizes.layers[0]!.w).toEqualTypeOf<number>()
    expectTypeOf(sizes.head).toEqualTypeOf<readonly [number, number]>()
    const narrow = mapTree((x) => cast(x, 'bfloat16'), net)
    expectTypeOf(narrow.head[0]).toEqualTypeOf<Tensor<'bfloat16'>>()
    expect([sizes.head[1], narrow.head[0].dtype]).toEqual([1, 'bfloat16'])
  })

  it('mapTree gives f a leaf of every further tree, in its own type', () => {
    const mask = { layers: [{ w: true }], head: [false, true] }
    const shown = mapTree((x, yes, name) => [x.item(), yes, name] as const, net, mask, {
      layers: [{ w: 'w' }],
      head: ['a', 'b'],
    })
    expectTypeOf(shown.layers[0]!.w).toEqualTypeOf<readonly [number, boolean, string]>()
    expect(shown.head).toEqual([
      [2, false, 'a'],
      [3, true, 'b'],
    ])
    const labels: Tree<string> = { layers: [{ w: 'x' }], head: ['y', 'z'] }
    expectTypeOf(mapTree((_, label) => label, net, labels).layers[0]!.w).toEqualTypeOf<string>()
  })

  it('replaceLeaves keeps the structure', () => {
    const named = replaceLeaves(net, ['a', 'b', 'c'])
    expectTypeOf(named.head).toEqualTypeOf<readonly [string, string]>()
    expect(named.layers[0]?.w).toBe('c')
  })
})

describe('trees typed Tree', () => {
  it('give trees', () => {
    const make = (): Tree => ({ b: tensor(2), a: [tensor(1)] })
    const tree = make()
    expectTypeOf(mapTree((x) => x.item(), tree)).toEqualTypeOf<Tree<number>>()
    expectTypeOf(leavesOf(tree)).toEqualTypeOf<Tensor[]>()
    expect(mapTree((x) => x.item(), tree)).toEqual({ a: [1], b: 2 })
  })
})
