import fc from 'fast-check'
import {
  add,
  type DType,
  dtypeFacts,
  dtypes,
  fromBits,
  neg,
  type Tensor,
  tensor,
  zeros,
} from 'tpu-toolkit/tensor'
import {
  checkSameTree,
  foldTree,
  isLeaf,
  leavesOf,
  mapTree,
  mapTreeWith,
  mapTreeWithPath,
  pathsOf,
  replaceLeaves,
  type Tree,
  treeFromPaths,
} from 'tpu-toolkit/tree'
import { describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'

const isNumber = (value: unknown): value is number => typeof value === 'number'
const numbers = { isLeaf: isNumber }

/** A network's parameters as they are usually nested. */
function network(): { readonly [key: string]: Tree } {
  const layer = (n: number) => ({ kernel: zeros([n, n]), bias: zeros([n]) })
  return { norm: [], layers: [layer(2), layer(3)], head: { kernel: tensor([1]), extra: {} } }
}

describe('pathsOf and leavesOf', () => {
  it('give leaves depth first with sorted keys and ascending indices', () => {
    expect(pathsOf(network()).map(({ path }) => path)).toEqual([
      'head.kernel',
      'layers.0.bias',
      'layers.0.kernel',
      'layers.1.bias',
      'layers.1.kernel',
    ])
    const twelve = Array.from({ length: 12 }, (_, i) => tensor(i))
    expect(leavesOf(twelve).map((x) => x.item())).toEqual([...twelve.keys()])
  })

  it('a tensor alone is a tree of one leaf at the empty path; empty containers have none', () => {
    const x = tensor([1, 2])
    expect(pathsOf(x)).toEqual([{ path: '', leaf: x }])
    for (const empty of [[], {}, [[], {}], { a: [] }]) expect(leavesOf(empty)).toEqual([])
  })

  it('name the path of what is no tree', () => {
    const wrong: readonly (readonly [unknown, string])[] = [
      [{ a: [tensor(1), null] }, 'leavesOf: not a leaf, array or plain object at a.1 [null]'],
      [{ a: { b: undefined } }, 'leavesOf: not a leaf, array or plain object at a.b [undefined]'],
      [{ a: 3 }, 'leavesOf: not a leaf, array or plain object at a [3]'],
      [{ a: new Float32Array(3) }, 'leavesOf: not a leaf, array or plain object at a [Float32Array]'],
      [[new Map()], 'leavesOf: not a leaf, array or plain object at 0 [Map]'],
      // biome-ignore lint/suspicious/noSparseArray: a hole is the subject
      [[tensor(1), , tensor(2)], 'leavesOf: not a leaf, array or plain object at 1 [undefined]'],
      [null, 'leavesOf: not a leaf, array or plain object at the root [null]'],
    ]
    for (const [tree, message] of wrong) expect(() => leavesOf(tree as Tree)).toThrow(new TypeError(message))
  })

  it('take an object without a prototype, and a key named __proto__', () => {
    const bare = Object.assign(Object.create(null), { a: tensor(1) }) as Tree
    expect(pathsOf(bare).map(({ path }) => path)).toEqual(['a'])
    const odd = JSON.parse('{"__proto__": 1, "a": 2}') as Tree<number>
    const doubled = mapTreeWith(numbers, (x) => 2 * x, odd)
    expect(JSON.stringify(doubled)).toBe('{"__proto__":2,"a":4}')
    expect(Object.getPrototypeOf(doubled)).toBe(Object.prototype)
  })
})

describe('foldTree', () => {
  it('visits leaves in the order of pathsOf', () => {
    const visited = foldTree((list: string[], x, path) => [...list, `${path}:${x.size}`], [], network())
    expect(visited.slice(0, 3)).toEqual(['head.kernel:1', 'layers.0.bias:2', 'layers.0.kernel:4'])
    expect(() => foldTree((n: number) => n, 0, [null] as never)).toThrow('foldTree: not a leaf')
    expect(() => leavesOf([null] as never, { op: 'norm' })).toThrow('norm: not a leaf')
  })
})

describe('mapTree', () => {
  it.each(dtypes)('maps leaves of %s and keeps structure, empty containers included', (dtype) => {
    const x =
      dtypeFacts(dtype).bits === 64 ? fromBits(new BigUint64Array(2), { dtype }) : fromBits([0, 1], { dtype })
    const tree = { b: [x, [], {}], a: { c: x } }
    const mapped = mapTree((leaf) => [leaf.dtype, leaf.size], tree)
    expect(mapped).toEqual({ a: { c: [dtype, 2] }, b: [[dtype, 2], [], {}] })
    expect(Object.keys(mapped)).toEqual(['a', 'b'])
  })

  it('gives f the leaves of further trees, of another kind as well', () => {
    const params = { w: tensor([1, 2]), b: tensor(3) }
    const mask: Tree<boolean> = { b: false, w: true }
    const summed = mapTree((p, g: Tensor, on: boolean) => (on ? add(p, g) : p), params, params, mask)
    expect(leavesOf(summed).map((x) => x.toNested())).toEqual([3, [2, 4]])
  })

  it('does not call f when any tree differs, and names the first difference', () => {
    let calls = 0
    const count = (..._: unknown[]) => calls++
    const two = { a: tensor(1), b: tensor(2) }
    expect(() => mapTree(count, two, two, { a: tensor(1), b: [tensor(1)] })).toThrow(
      new RangeError('mapTree: trees differ at b [leaf, array]'),
    )
    expect(() => mapTree(count, { a: tensor(1), b: null } as never)).toThrow(
      new TypeError('mapTree: not a leaf, array or plain object at b [null]'),
    )
    expect(calls).toBe(0)
  })

  it('mapTreeWithPath gives f the path', () => {
    expect(
      mapTreeWithPath((path, x, y) => `${path} ${x.size} ${y}`, { a: [tensor([1])] }, { a: [7] }),
    ).toEqual({
      a: ['a.0 1 7'],
    })
    expect(() => mapTreeWithPath((_, ...leaves: unknown[]) => leaves, [tensor(1)], [])).toThrow(
      'mapTreeWithPath: trees differ at 0 [leaf, nothing]',
    )
  })

  it('mapTreeWith takes a predicate and a name for errors; leaves may be arrays and objects', () => {
    const isPair = (x: unknown): x is [number, number] => Array.isArray(x) && x.length === 2 && isNumber(x[0])
    const op = 'sumPairs'
    expect(mapTreeWith({ isLeaf: isPair, op }, ([a, b]) => a + b, { x: [1, 2], y: [[3, 4]] })).toEqual({
      x: 3,
      y: [7],
    })
    expect(() => mapTreeWith({ isLeaf: isPair, op }, (a, b) => [a, b], { x: [1, 2] }, { y: [1, 2] })).toThrow(
      'sumPairs: trees differ at x [leaf, nothing]',
    )
    expect(() => mapTreeWith({}, (x) => x, 3 as never)).toThrow('mapTreeWith: not a leaf')
  })
})

describe('checkSameTree', () => {
  const x = tensor(1)
  const cases: readonly (readonly [string, Tree, unknown, string])[] = [
    ['a missing key', { a: x, b: x, c: x }, { a: x, c: x }, 'b [leaf, nothing]'],
    ['an extra key', { a: x, c: x }, { a: x, b: [], c: x }, 'b [nothing, array]'],
    ['the first of two, in sorted order', { z: x, b: x }, { z: [x], c: x }, 'b [leaf, nothing]'],
    ['an extra key before a missing one', { b: x }, { a: x }, 'a [nothing, leaf]'],
    ['depth before breadth', { a: { z: x }, b: x }, { a: {} }, 'a.z [leaf, nothing]'],
    ['a shorter array', { l: [x, x] }, { l: [x] }, 'l.1 [leaf, nothing]'],
    ['a longer array', { l: [x] }, { l: [x, {}] }, 'l.1 [nothing, object]'],
    ['index 2 before index 10', Array(11).fill(x), [x, x, [], ...Array(7).fill(x)], '2 [leaf, array]'],
    ['a leaf for a node', { l: [{ k: x }] }, { l: [x] }, 'l.0 [object, leaf]'],
    ['a node for a leaf', { l: [x] }, { l: [{ k: x }] }, 'l.0 [leaf, object]'],
    ['an array for an object', { l: {} }, { l: [] }, 'l [object, array]'],
    ['the whole', x, [x], 'the root [leaf, array]'],
    ['a name every object inherits', { a: x, toString: x }, { a: x }, 'toString [leaf, nothing]'],
    ['a number for a node', [[x]], [1], '0 [array, leaf]'],
  ]
  it.each(cases)('names %s', (_, tree, other, where) => {
    expect(() => checkSameTree('op', tree, other)).toThrow(new RangeError(`op: trees differ at ${where}`))
  })

  it('lets leaves be anything but containers, null and undefined', () => {
    for (const leaf of [true, 0, '', x, 1n, () => 0]) checkSameTree('op', { a: x }, { a: leaf })
    for (const none of [null, undefined]) {
      expect(() => checkSameTree('op', { a: x }, { a: none })).toThrow(
        new TypeError(`op: not a leaf, array or plain object at a [${none}]`),
      )
    }
  })

  it('does not compare shapes and dtypes', () => {
    checkSameTree('op', { a: tensor([1, 2]) }, { a: tensor(1, { dtype: 'bfloat16' }) })
  })
})

describe('treeFromPaths', () => {
  it('makes arrays of the keys 0 ... n - 1 and objects of all others', () => {
    const build = (...paths: string[]) => treeFromPaths(paths.map((path) => ({ path, leaf: path })))
    expect(build('a.1', 'a.0')).toEqual({ a: ['a.0', 'a.1'] })
    expect(build('a.1', 'a.2')).toEqual({ a: { 1: 'a.1', 2: 'a.2' } })
    expect(build('a.00')).toEqual({ a: { '00': 'a.00' } })
    expect(build('0.x', 'x')).toEqual({ 0: { x: '0.x' }, x: 'x' })
    expect(build('')).toBe('')
    expect(build()).toEqual({})
    expect(JSON.stringify(build('__proto__.a'))).toBe('{"__proto__":{"a":"__proto__.a"}}')
  })

  it('refuses two leaves at one path, and a leaf with more below it in either order', () => {
    const build = (...paths: string[]) => treeFromPaths(paths.map((path) => ({ path, leaf: new Map() })))
    expect(() => build('a.b', 'a.b')).toThrow(new RangeError('treeFromPaths: two leaves at one path [a.b]'))
    expect(() => build('a', 'a.b.c')).toThrow(
      new RangeError('treeFromPaths: a leaf and more below it at a [a.b.c]'),
    )
    expect(() => build('a.b.c', 'a')).toThrow(
      new RangeError('treeFromPaths: a leaf and more below it at a [a]'),
    )
  })
})

describe('replaceLeaves', () => {
  it('refuses another number of leaves', () => {
    expect(() => replaceLeaves({ a: tensor(1) }, [])).toThrow(
      new RangeError('replaceLeaves: the tree has 1 leaves [0]'),
    )
  })
})

describe(`properties of trees (seed ${seed})`, () => {
  const key = fc.constantFrom('kernel', 'bias', 'a', 'b', 'Z', '0', '1', '__proto__', 'ключ', '')
  const { tree } = fc.letrec<{ tree: Tree<number> }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4, depthSize: 'medium' },
      fc.integer(),
      fc.array(tie('tree'), { maxLength: 4 }),
      fc
        .array(fc.tuple(key, tie('tree')), { maxLength: 4 })
        .map((entries): Tree<number> => Object.fromEntries(entries)),
    ),
  }))
  const check = (property: fc.IRawProperty<unknown>) => fc.assert(property, { seed, numRuns: 300 })

  it('mapTreeWith of the identity is the tree itself, and its leaves come in the order of pathsOf', () =>
    check(
      fc.property(tree, (drawn) => {
        const visited: number[] = []
        const visit = (leaf: number) => {
          visited.push(leaf)
          return leaf
        }
        const same = mapTreeWith(numbers, visit, drawn)
        expect(same).toEqual(drawn)
        expect(visited).toEqual(leavesOf(drawn, numbers))
        expect(replaceLeaves(drawn, visited, numbers)).toEqual(drawn)
        checkSameTree('op', drawn, same, numbers)
      }),
    ))

  it('checkSameTree accepts two trees exactly when their skeletons are equal', () => {
    const skeleton = (drawn: Tree<number>) => JSON.stringify(mapTreeWith(numbers, () => 0, drawn))
    check(
      fc.property(tree, tree, (a, b) => {
        const refuses = (x: Tree<number>, y: Tree<number>) => {
          try {
            checkSameTree('op', x, y, numbers)
            return false
          } catch (error) {
            expect(String(error)).toMatch(/^RangeError: op: trees differ at /)
            return true
          }
        }
        expect(refuses(a, b)).toBe(skeleton(a) !== skeleton(b))
        expect(refuses(b, a)).toBe(skeleton(a) !== skeleton(b))
      }),
    )
  })

  it('treeFromPaths(pathsOf(x)) has the paths of x', () => {
    const simple = fc.letrec<{ tree: Tree<number> }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        fc.integer(),
        fc.array(tie('tree'), { minLength: 1, maxLength: 4 }),
        fc.dictionary(fc.constantFrom('kernel', 'bias', 'a', 'b'), tie('tree'), { minKeys: 1, maxKeys: 3 }),
      ),
    })).tree
    check(
      fc.property(simple, (drawn) => {
        expect(treeFromPaths(pathsOf(drawn, numbers).reverse())).toEqual(
          mapTreeWith(numbers, (x) => x, drawn),
        )
      }),
    )
  })
})

describe('the types', () => {
  it('infer the arguments of f from the trees', () => {
    const params: Tree = network()
    const negated: Tree = mapTree((p) => neg(p), params)
    const named: Tree<string> = mapTreeWithPath((path, p, g) => path + p.size + g.size, params, params)
    const names: Tree<DType> = mapTree((p) => p.dtype, negated)
    expect(leavesOf(named, { isLeaf: (x) => typeof x === 'string' }).length).toBe(5)
    expect(isLeaf(names)).toBe(false)
  })
})
