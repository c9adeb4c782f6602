import * as bf16 from 'tpu-toolkit/bf16'
import * as tensor from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

describe.each(Object.entries({ tensor, bf16 }))('the functions of %s', (_, door) => {
  it('are called what they are exported as, those that another function made too', () => {
    const others = Object.entries<unknown>(door).filter(
      ([name, of]) => typeof of === 'function' && of.name !== name,
    )
    expect(others.map(([name]) => name)).toEqual([])
  })
})
