import { constant } from '../elements/constant.js'
import { integer } from '../values/attributes.js'
import { type Lowering, single } from '../values/lowering.js'
import type { LoweringTable, PlumbingName } from '../values/operations.js'
import { refused } from '../values/refused.js'
import type { Value } from '../values/value.js'
import { customCall } from './customCall.js'
import { rngBitGenerator } from './rngBits.js'

/** Operations that hand values on. */
const same: Lowering = () => (inputs) => inputs

export const plumbing: LoweringTable<PlumbingName> = {
  'sdy.sharding_constraint': same,
  'stablehlo.after_all': () => () => [undefined],
  'stablehlo.constant': constant,
  'stablehlo.create_token': () => () => [undefined],
  'stablehlo.custom_call': customCall,
  'stablehlo.get_tuple_element': (op) => {
    const index = integer(op, 'index')
    return single(([tuple]) => {
      if (!Array.isArray(tuple) || index >= tuple.length) throw new RangeError(`has no element ${index}`)
      return (tuple as readonly Value[])[index]
    })
  },
  'stablehlo.optimization_barrier': same,
  'stablehlo.rng': refused('draws numbers that no specification determines, draw them from a key'),
  'stablehlo.rng_bit_generator': rngBitGenerator,
  'stablehlo.tuple': () => (inputs) => [[...inputs]],
}
