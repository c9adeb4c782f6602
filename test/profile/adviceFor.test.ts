import { describe, expect, it } from 'vitest'
import { adviceFor, type Bound } from '../../src/training/profile/adviceFor.js'

const roof = (kind: 'machine' | 'chip', side?: number) => ({
  ...{ name: 'made', kind, flopsPerSecond: 1, vectorFlopsPerSecond: 1, bytesPerSecond: 1 },
  ...{ overheadMicroseconds: 0, ...(side !== undefined && { side }) },
})
const compiled = { kind: 'fused', name: 'add', dtype: 'float32' }
const plain = { kind: 'add', name: 'add', dtype: 'bfloat16' }
const product = { ...plain, dtype: 'float32', product: { m: 256, k: 256, n: 256 } }
const narrow = { ...product, product: { m: 256, k: 64, n: 256 } }

describe('adviceFor(boundBy, operations, roof, reached)', () => {
  it.each<[string, Bound, object, ReturnType<typeof roof>, number, RegExp]>([
    ['overhead of a program', 'overhead', compiled, roof('machine'), 1, /cost of a step/],
    ['overhead of a call', 'overhead', plain, roof('machine'), 1, /cost of a call: compile/],
    ['half a matrix unit or more', 'compute', product, roof('chip', 256), 1, /bfloat16 operands/],
    ['less than half', 'compute', narrow, roof('chip', 256), 1, /fills 25 % of the matrix unit/],
    ['under a tenth of the roof, compiled', 'memory', compiled, roof('machine'), 0.09, /not vectorised/],
    ['under a tenth, called', 'memory', plain, roof('machine'), 0.09, /: compile the function/],
    ['a tenth', 'memory', plain, roof('machine'), 0.1, /^moves bytes: compile it [^,]*, so that [^,]*$/],
    [
      'under a tenth of a chip, where times are foretold',
      'memory',
      plain,
      roof('chip'),
      0.09,
      /^moves bytes/,
    ],
    ['compute under .6', 'compute', plain, roof('machine'), 0.59, /larger products/],
    ['compute from .6 on', 'compute', plain, roof('machine'), 0.6, /^at the roof: fewer/],
    ['float32 products of a machine', 'compute', product, roof('machine'), 0.6, /^at the roof: fewer/],
    ['compute of a chip', 'compute', plain, roof('chip'), 0.2, /^at the roof: fewer/],
    ['copies', 'memory', { ...compiled, kind: 'copy', name: 'copy' }, roof('machine'), 1, /^values copied/],
    ['wide elements', 'memory', compiled, roof('machine'), 1, /fuse it .* halve them with bfloat16$/],
  ])('%s', (_, boundBy, operation, on, reached, advice) => {
    expect(adviceFor(boundBy, [operation as never], on, reached)).toMatch(advice)
  })
})
