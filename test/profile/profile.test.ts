import { add, exp, matmul, mul, sum, type Tensor, tensor, timed, timedWork, zeros } from 'tpu-toolkit'
import { valueAndGrad } from 'tpu-toolkit/autodiff'
import { compile } from 'tpu-toolkit/compile'
import { adamw, applyGradients } from 'tpu-toolkit/optimizer'
import { chromeTrace, flameTable, profile, profileBy, profilePage, profileText } from 'tpu-toolkit/profile'
import { describe, expect, it } from 'vitest'

const x = tensor([
  [1, 2],
  [3, 4],
])

describe('profile of eager functions', () => {
  it('profile(f) has every operation in its order, with FLOPs, bytes and memory of its own', () => {
    const { operations, flops, bytes, steady } = profile(() => sum(mul(matmul(x, x), 2)), { runs: 2 })
    expect(operations.map(({ name }) => name)).toEqual(['matmul', 'mul', 'sum'])
    // 2 m k n; an element each; an element each that is read.
    expect(operations.map((each) => each.flops)).toEqual([16, 4, 4])
    expect(operations.map((each) => each.bytes)).toEqual([48, 36, 20])
    expect(operations.map(({ memory }) => memory)).toEqual([16, 16, 4])
    expect(operations[0]!.product).toEqual({ m: 2, k: 2, n: 2, count: 1 })
    expect([flops, bytes, steady]).toEqual([24, 104, true])
  })

  it('profile(f) counts the operations of gradients too, at the lines whose gradient they are', () => {
    const line = (): Tensor => exp(x)
    const { operations } = profile(() => valueAndGrad((p: Tensor) => sum(mul(line(), p)))(x), { runs: 1 })
    const own = operations.filter(({ stacks }) => stacks[0]?.[0]?.startsWith('profile.test.ts:'))
    expect(operations.length).toBeGreaterThan(3)
    expect(own).toHaveLength(operations.length)
  })

  it('profile(f) names the lines that led to an operation, the innermost first, and none of its own', () => {
    const inner = (): Tensor => exp(x)
    const outer = (): Tensor => inner()
    const { operations } = profile(() => outer(), { runs: 1 })
    const stack = operations[0]!.stacks[0]!
    expect(stack).toHaveLength(3)
    expect(stack.every((place) => place.startsWith('profile.test.ts:'))).toBe(true)
  })

  it('profile(f) says what is alive: what something still reads, the result, and what f was given', () => {
    const { operations, peakBytes } = profile(
      () => {
        const a = exp(x)
        const b = exp(a)
        const c = exp(b)
        return add(c, c)
      },
      { runs: 1 },
    )
    // x throughout, and of the others the one that is read beside the one that is made.
    expect(operations.map(({ alive }) => alive)).toEqual([32, 48, 48, 48])
    expect(peakBytes).toBe(48)
  })

  it('profile(f) tells what is not steady, and then says nothing of lines', () => {
    let call = 0
    const { steady, operations } = profile(() => (call++ % 2 === 0 ? exp(x) : add(exp(x), 1)), { runs: 2 })
    expect(steady).toBe(false)
    expect(operations.every(({ stacks }) => stacks[0]!.length === 0)).toBe(true)
  })

  it('profile(f) leaves results as they are, bit for bit', () => {
    const results: Tensor[] = []
    const f = (): number => results.push(exp(mul(x, 3)))
    f()
    profile(f, { runs: 1 })
    expect(new Set(results.map((y) => y.toBits().join())).size).toBe(1)
  })

  it('profile(f) refuses an asynchronous function, and options that it does not know', () => {
    expect(() => profile(async () => exp(x))).toThrow('profile: the function is asynchronous')
    expect(() => profile(() => exp(x), { run: 3 } as never)).toThrow(
      'profile: unknown option, did you mean runs [run]',
    )
  })
})

describe('profile of compiled functions', () => {
  const loss = (w: Tensor, y: Tensor): Tensor => sum(exp(mul(matmul(w, y), 0.1)))

  it('profile(f) has the steps of programs, which stay programs, and what comes in and goes out', () => {
    const step = compile(valueAndGrad(loss))
    const { operations, programs } = profile(() => step(x, x), { runs: 2 })
    const planned = step.plan().steps
    expect(operations.map(({ kind }) => kind)).toEqual(['copy', ...planned.map(({ kind }) => kind), 'copy'])
    expect(operations.slice(1, -1).map(({ flops }) => flops)).toEqual(planned.map(({ flops }) => flops))
    expect(programs).toBe(0)
  })

  it('profile(f) knows the lines of the operations of a program', () => {
    const step = compile(valueAndGrad(loss))
    const { operations } = profile(() => step(x, x), { runs: 1 })
    const steps = operations.filter(({ kind }) => kind !== 'copy')
    expect(steps.length).toBeGreaterThan(1)
    for (const { stacks, operations: inside } of steps) {
      expect(stacks).toHaveLength(inside.length)
      for (const stack of stacks) expect(stack[0]).toMatch(/^profile\.test\.ts:/)
    }
  })

  it('profile(f) says when a program is recorded anew at every call', () => {
    const { programs } = profile(() => compile((y: Tensor) => exp(y))(x), { runs: 1 })
    expect(programs).toBe(1)
  })

  it('profile(f) of a step sees the program, and the pass of the optimizer beside it', () => {
    const optimizer = adamw({ learningRate: 0.1 })
    const gradient = compile(valueAndGrad((params: { w: Tensor }, y: Tensor) => loss(params.w, y)))
    const params = { w: x }
    const state = optimizer.init(params)
    const { operations } = profile(
      () => applyGradients(optimizer, gradient(params, x)[1], { params, state }),
      { runs: 1 },
    )
    expect(operations.some(({ kind }) => kind === 'matmul')).toBe(true)
    expect(operations.at(-1)!.name).toBe('adamw')
  })
})

describe('groups, lines, text and page', () => {
  const measured = profile(() => sum(mul(exp(zeros([64])), exp(zeros([64])))), { runs: 2, name: 'four' })

  it('profileBy(profile) counts every call once, by whatever it groups', () => {
    for (const by of ['name', 'kind', 'dtype', 'line'] as const) {
      const groups = profileBy(measured, by)
      const own = measured.operations.reduce((all, { selfMicroseconds }) => all + selfMicroseconds, 0)
      expect(groups.reduce((all, { calls }) => all + calls, 0)).toBe(measured.operations.length)
      expect(groups.reduce((all, { microseconds }) => all + microseconds, 0)).toBeCloseTo(own, 6)
    }
  })

  it('flameTable(profile) has totals that are no less than what a line took itself', () => {
    const rows = flameTable(measured)
    expect(rows[0]!.line).toMatch(/^profile\.test\.ts:/)
    for (const { selfMicroseconds, totalMicroseconds } of rows) {
      expect(totalMicroseconds).toBeGreaterThanOrEqual(selfMicroseconds)
    }
  })

  it('profileText(profile) is no wider than the screen', () => {
    expect(String(measured)).toContain('four: ')
    for (const line of profileText(measured, 60).split('\n').slice(3)) {
      expect(line.length).toBeLessThanOrEqual(60)
    }
  })

  it('profilePage(profile) has operations, lines and memory', () => {
    const page = profilePage(measured)
    for (const title of ['Operations', 'Source lines', 'Memory']) expect(page).toContain(`<h2>${title}</h2>`)
  })
})

describe('chromeTrace', () => {
  it('chromeTrace(profile) keeps to what readers of traces ask for', () => {
    const f = compile(valueAndGrad((a: Tensor) => sum(exp(mul(a, 2)))))
    const { traceEvents } = chromeTrace(profile(() => [f(x), exp(x)], { runs: 3 }))
    const slices = traceEvents.filter(({ ph }) => ph === 'X')
    expect(slices.length).toBeGreaterThan(4)
    const open: number[] = []
    let last = 0
    for (const { ts, dur, pid, tid } of slices) {
      expect([Number.isInteger(pid), Number.isInteger(tid)]).toEqual([true, true])
      // Whole nanoseconds; in order; one inside of another or beside it, never across an end.
      for (const x1000 of [ts! * 1000, dur! * 1000]) {
        expect(Math.abs(x1000 - Math.round(x1000))).toBeLessThan(1e-3)
      }
      expect(ts).toBeGreaterThanOrEqual(last)
      last = ts!
      while (open.length > 0 && open.at(-1)! <= ts! + 1e-9) open.pop()
      if (open.length > 0) expect(ts! + dur!).toBeLessThanOrEqual(open.at(-1)! + 1e-6)
      open.push(ts! + dur!)
    }
    const counters = traceEvents.filter(({ ph }) => ph === 'C')
    for (const { args } of counters) expect(Object.values(args!).every(Number.isFinite)).toBe(true)
    expect(traceEvents.map(({ ph }) => ph)).toContain('M')
    // JSON has no NaN: what is not finite would come back as null.
    expect(JSON.stringify(traceEvents)).not.toContain('null')
  })
})

describe('timed', () => {
  it('timedWork(work, f) tells nothing of what runs inside, and asks for nothing where nobody listens', () => {
    const told: string[] = []
    const work = {
      ...{ kind: 'k', operations: ['k'], stacks: [[]], dtype: 'float32' as const, shape: [] },
      flops: 0,
      bytes: 0,
      memory: 0,
    }
    const timer = { sites: false, operation: () => told.push('operation'), work: () => told.push('work') }
    timed(
      () =>
        timedWork(
          () => work,
          () => exp(x),
        ),
      timer as never,
    )
    expect(told).toEqual(['work'])
    timedWork(
      () => {
        throw new Error('asked')
      },
      () => exp(x),
    )
  })
})
