import { grad } from 'tpu-toolkit/autodiff'
import { parse, programOf } from 'tpu-toolkit/stablehlo'
import { sum, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { runFile } from '../../scripts/stablehlo/runFile.js'

// Expected values are those of the specification's definitions, worked out by hand.

/** A function on a grid of processes, one row of the grid a replica, and what each process gets. */
interface Case {
  readonly op: string
  readonly body?: boolean
  readonly grid: readonly number[]
  readonly from?: string
  readonly to?: string
  readonly given: readonly string[]
  readonly expected: readonly string[]
}

function moduleOf({ op, body = false, grid, from = '2xi32', to = from, given, expected }: Case): string {
  const [replicas, partitions] = grid as [number, number]
  const region = body
    ? `({ ^bb0(%a: tensor<i32>, %b: tensor<i32>): %s = stablehlo.add %a, %b : tensor<i32> stablehlo.return %s : tensor<i32> })`
    : ''
  const [name, attributes] = op.split(' | ')
  const row = `[${new Array(partitions).fill('@f').join(', ')}]`
  const list = (of: (i: number) => string): string => given.map((_, i) => of(i)).join(', ')
  return `
func.func @f(%x: tensor<${from}>) -> tensor<${to}> {
  %r = "stablehlo.${name}"(%x) ${region} {${attributes}} : (tensor<${from}>) -> tensor<${to}>
  return %r : tensor<${to}>
}
func.func @main() {
  ${given.map((value, i) => `%g${i} = stablehlo.constant dense<${value}> : tensor<${from}>`).join('\n  ')}
  %r:${given.length} = "interpreter.run_parallel"(${list((i) => `%g${i}`)}) {programs = [${new Array(replicas).fill(row).join(', ')}]}
    : (${list(() => `tensor<${from}>`)}) -> (${list(() => `tensor<${to}>`)})
  ${expected.map((value, i) => `check.expect_eq_const %r#${i}, dense<${value}> : tensor<${to}>`).join('\n  ')}
  func.return
}`
}

const channel = (handle: number): string =>
  `channel_handle = #stablehlo.channel_handle<handle = ${handle}, type = 0>`
const groups = (rows: number, text: string): string => {
  const width = (text.match(/,/g)?.length ?? 0) + 1
  return `replica_groups = dense<${text}> : tensor<${rows}x${width / rows}xi64>`
}

const cases: readonly Case[] = [
  // Replicas alone, of each partition by itself.
  {
    op: `all_reduce | ${groups(1, '[[0, 1]]')}, ${channel(0)}`,
    body: true,
    grid: [2, 2],
    given: ['[1, 2]', '[3, 4]', '[10, 20]', '[30, 40]'],
    expected: ['[11, 22]', '[33, 44]', '[11, 22]', '[33, 44]'],
  },
  // A channel: every partition of the replicas.
  {
    op: `all_reduce | ${groups(1, '[[0, 1]]')}, ${channel(1)}`,
    body: true,
    grid: [2, 2],
    given: ['[1, 2]', '[3, 4]', '[10, 20]', '[30, 40]'],
    expected: new Array<string>(4).fill('[44, 66]'),
  },
  // Numbers of processes.
  {
    op: `all_reduce | ${groups(2, '[[0, 3], [1, 2]]')}, ${channel(1)}, use_global_device_ids`,
    body: true,
    grid: [2, 2],
    given: ['[1, 2]', '[3, 4]', '[10, 20]', '[30, 40]'],
    expected: ['[31, 42]', '[13, 24]', '[13, 24]', '[31, 42]'],
  },
  // Ragged groups are filled up with -1.
  {
    op: `all_reduce | ${groups(2, '[[0, 1], [2, -1]]')}`,
    body: true,
    grid: [3, 1],
    given: ['[1, 2]', '[3, 4]', '[5, 6]'],
    expected: ['[4, 6]', '[4, 6]', '[5, 6]'],
  },
  {
    op: `all_reduce | replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "a", size = 4>]>, axes = [#stablehlo.axis_ref<name = "a", sub_axis_info = (2)2>]>`,
    body: true,
    grid: [4, 1],
    given: ['[1, 2]', '[3, 4]', '[5, 6]', '[7, 8]'],
    expected: ['[4, 6]', '[4, 6]', '[12, 14]', '[12, 14]'],
  },
  // The members of a group come partition by partition, within one in the order of the group.
  {
    op: `all_gather | all_gather_dim = 0 : i64, ${groups(1, '[[1, 0]]')}, ${channel(1)}`,
    grid: [2, 2],
    to: '8xi32',
    given: ['[1, 2]', '[3, 4]', '[5, 6]', '[7, 8]'],
    expected: new Array<string>(4).fill('[5, 6, 1, 2, 7, 8, 3, 4]'),
  },
  {
    op: `reduce_scatter | scatter_dimension = 0 : i64, ${groups(1, '[[0, 1]]')}`,
    body: true,
    grid: [2, 1],
    to: '1xi32',
    given: ['[1, 2]', '[10, 20]'],
    expected: ['[11]', '[22]'],
  },
  {
    op: `collective_reduce | ${groups(1, '[[1, 0]]')}`,
    body: true,
    grid: [2, 1],
    given: ['[1, 2]', '[10, 20]'],
    expected: ['[0, 0]', '[11, 22]'],
  },
  {
    op: `all_to_all | split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, ${groups(1, '[[1, 0]]')}`,
    grid: [2, 1],
    given: ['[1, 2]', '[10, 20]'],
    expected: ['[20, 2]', '[10, 1]'],
  },
  // Who receives nothing has zeros.
  {
    op: `collective_permute | source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, ${channel(1)}`,
    grid: [1, 3],
    given: ['[1, 2]', '[3, 4]', '[5, 6]'],
    expected: ['[0, 0]', '[1, 2]', '[3, 4]'],
  },
  {
    op: `collective_broadcast | ${groups(1, '[[2, 0]]')}`,
    grid: [3, 1],
    given: ['[1, 2]', '[3, 4]', '[5, 6]'],
    expected: ['[5, 6]', '[0, 0]', '[5, 6]'],
  },
]

describe('collectives among processes', () => {
  it.each(cases.map((each) => [each.op.split(' | ').join(': '), each] as const))('%s', (_, each) => {
    expect(runFile(moduleOf(each))).toEqual([{ name: '@main', kind: 'passed', reason: '' }])
  })

  it('a wrong expectation fails', () => {
    expect(runFile(moduleOf({ ...cases[0]!, expected: ['[0, 0]'] }))[0]?.kind).toBe('failed')
  })

  it('a group that waits for a process in another branch is refused', () => {
    const text = `
func.func @f() -> tensor<i32> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %id = stablehlo.replica_id : tensor<ui32>
  %zero = stablehlo.constant dense<0> : tensor<ui32>
  %first = stablehlo.compare EQ, %id, %zero : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
  %r = "stablehlo.if"(%first) ({
    %s = "stablehlo.all_reduce"(%one) ({ ^bb0(%a: tensor<i32>, %b: tensor<i32>): %t = stablehlo.add %a, %b : tensor<i32> stablehlo.return %t : tensor<i32> }) {${groups(1, '[[0, 1]]')}} : (tensor<i32>) -> tensor<i32>
    stablehlo.return %s : tensor<i32>
  }, { stablehlo.return %one : tensor<i32> }) : (tensor<i1>) -> tensor<i32>
  return %r : tensor<i32>
}
func.func @main() {
  %r:2 = "interpreter.run_parallel"() {programs = [[@f], [@f]]} : () -> (tensor<i32>, tensor<i32>)
  check.expect_eq_const %r#0, dense<2> : tensor<i32>
  func.return
}`
    expect(runFile(text)[0]?.reason).toMatch(
      /waits for a device that is not there: the group is 0, 1 \[0 run it\]/,
    )
  })

  it('loops go round as often as each process needs', () => {
    const text = `
func.func @f(%n: tensor<i32>) -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %x = %one) : tensor<i32>, tensor<i32>
  cond { %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1> stablehlo.return %c : tensor<i1> }
  do {
    %j = stablehlo.add %i, %one : tensor<i32>
    %y = stablehlo.add %x, %x : tensor<i32>
    stablehlo.return %j, %y : tensor<i32>, tensor<i32>
  }
  return %r#1 : tensor<i32>
}
func.func @main() {
  %a = stablehlo.constant dense<3> : tensor<i32>
  %b = stablehlo.constant dense<5> : tensor<i32>
  %r:2 = "interpreter.run_parallel"(%a, %b) {programs = [[@f], [@f]]} : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
  check.expect_eq_const %r#0, dense<8> : tensor<i32>
  check.expect_eq_const %r#1, dense<32> : tensor<i32>
  func.return
}`
    expect(runFile(text).map(({ kind }) => kind)).toEqual(['passed'])
  })

  it('one process receives what another sends, in whatever order they stand', () => {
    const text = `
func.func @receive(%token: !stablehlo.token) -> tensor<2xi32> {
  %r, %t = "stablehlo.recv"(%token) {${channel(7)}, is_host_transfer = false} : (!stablehlo.token) -> (tensor<2xi32>, !stablehlo.token)
  return %r : tensor<2xi32>
}
func.func @send(%x: tensor<2xi32>, %token: !stablehlo.token) -> !stablehlo.token {
  %t = "stablehlo.send"(%x, %token) {${channel(7)}, is_host_transfer = false} : (tensor<2xi32>, !stablehlo.token) -> !stablehlo.token
  return %t : !stablehlo.token
}
func.func @main() {
  %token = stablehlo.after_all : !stablehlo.token
  %x = stablehlo.constant dense<[4, 5]> : tensor<2xi32>
  %r, %t = "interpreter.run_parallel"(%token, %x, %token) {programs = [[@receive], [@send]]} : (!stablehlo.token, tensor<2xi32>, !stablehlo.token) -> (tensor<2xi32>, !stablehlo.token)
  check.expect_eq_const %r, dense<[4, 5]> : tensor<2xi32>
  func.return
}`
    expect(runFile(text).map(({ kind, reason }) => [kind, reason])).toEqual([['passed', '']])
  })

  it('infeed gives what the host has in line', () => {
    const text = `
func.func @queued() -> tensor<2xi32> { %c = stablehlo.constant dense<[1, 2]> : tensor<2xi32> return %c : tensor<2xi32> }
func.func @next() -> tensor<2xi32> { %c = stablehlo.constant dense<[3, 4]> : tensor<2xi32> return %c : tensor<2xi32> }
func.func @f(%token: !stablehlo.token) -> (tensor<2xi32>, tensor<2xi32>) {
  %a, %t = "stablehlo.infeed"(%token) {infeed_config = "", layout = []} : (!stablehlo.token) -> (tensor<2xi32>, !stablehlo.token)
  %b, %u = "stablehlo.infeed"(%t) {infeed_config = "", layout = []} : (!stablehlo.token) -> (tensor<2xi32>, !stablehlo.token)
  return %a, %b : tensor<2xi32>, tensor<2xi32>
}
func.func @main() {
  %token = stablehlo.after_all : !stablehlo.token
  %r:2 = "interpreter.run_parallel"(%token) {infeed = [@queued, @next], programs = [[@f]]} : (!stablehlo.token) -> (tensor<2xi32>, tensor<2xi32>)
  check.expect_eq_const %r#0, dense<[1, 2]> : tensor<2xi32>
  check.expect_eq_const %r#1, dense<[3, 4]> : tensor<2xi32>
  func.return
}`
    expect(runFile(text).map(({ kind, reason }) => [kind, reason])).toEqual([['passed', '']])
  })
})

describe('sdy.manual_computation', () => {
  const text = `
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func public @main(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {"y"}]>] out_shardings=[<@mesh, [{"x"}, {"y"}]>] manual_axes={"x", "y"} (%b: tensor<2x2xf32>) {
      %1 = "stablehlo.all_reduce"(%b) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
      ^bb0(%p: tensor<f32>, %q: tensor<f32>):
        %s = stablehlo.add %p, %q : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) : (tensor<2x2xf32>) -> tensor<2x2xf32>
      %2 = stablehlo.multiply %1, %b : tensor<2x2xf32>
      sdy.return %2 : tensor<2x2xf32>
    } : (tensor<4x4xf32>) -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
}`
  const x = tensor([
    [1, 2, 3, 4],
    [5, 6, 7, 8],
    [1, 1, 1, 1],
    [2, 2, 3, 3],
  ])

  it('runs the body on every device of the mesh', () => {
    const [result] = programOf(parse(text)).run(x)
    expect((result as Tensor).toNested()).toEqual([
      [4, 12, 12, 24],
      [60, 84, 84, 112],
      [2, 2, 2, 2],
      [10, 10, 15, 15],
    ])
  })

  it('has a gradient, through the exchange among devices', () => {
    const program = programOf(parse(text))
    const gradient = grad((a: Tensor) => sum(program.run(a)[0] as Tensor))(x)
    // Of (x + y) x + (x + y) y over the two halves of a row: 2 (x + y) each.
    expect(gradient.toNested()).toEqual([
      [8, 12, 8, 12],
      [24, 28, 24, 28],
      [4, 4, 4, 4],
      [10, 10, 10, 10],
    ])
  })

  it('a mesh that is not there, and one with its own order of devices, are refused', () => {
    expect(() => programOf(parse(text.replace('sdy.mesh @mesh', 'sdy.mesh @other')))).toThrow(
      /runs on a mesh that is not in the module \[@mesh\]/,
    )
  })
})
