import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { compile } from 'tpu-toolkit/compile'
import * as t from 'tpu-toolkit/tensor'
import { expect, test } from 'vitest'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
/** After a turn of the loop: until then weak references hold. */
const collected = async (): Promise<void> => {
  for (let turn = 0; turn < 3; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 2))
    collect()
  }
}

test('1,000 compiled functions that are dropped are collected, all but the last ones', async () => {
  const left: WeakRef<object>[] = []
  for (let i = 0; i < 1000; i++) {
    const constant = t.full([64], i)
    compile((x: t.Tensor) => t.add(t.mul(x, constant), i))(t.ones([64]))
    left.push(new WeakRef(constant))
  }
  await collected()
  expect(left.filter((ref) => ref.deref() !== undefined).length).toBeLessThanOrEqual(10)
})

test('10,000 calls leave nothing behind', async () => {
  const step = compile((x: t.Tensor, y: t.Tensor) => [t.tanh(t.add(t.matmul(x, y), x)), t.sum(x)])
  const [x, y] = [t.ones([16, 16], { dtype: 'bfloat16' }), t.full([16, 16], 0.1, { dtype: 'bfloat16' })]
  const used = async (calls: number): Promise<number> => {
    for (let i = 0; i < calls; i++) step(x, y)
    await collected()
    return process.memoryUsage().arrayBuffers
  }
  const before = await used(100)
  // Results take 514 bytes a call; their arrays are what other work of the process does not touch.
  expect((await used(10_000)) - before).toBeLessThan(250_000)
})
