// Random numbers as functions of keys: Threefry-2x32, equal to jax.random. No state: draw twice from one key and
// the numbers are the same; split or foldIn for fresh ones. Read numbers/threefry/key.ts first, then bits.ts and uniform.ts.

export { type BernoulliOptions, bernoulli } from './bernoulli.js'
export { type BitsOptions, bits } from './bits.js'
export { categorical } from './categorical.js'
export { type ChoiceOptions, choice } from './choice.js'
export { exponential } from './exponential.js'
export { gumbel } from './gumbel.js'
export { type Key, key, split, threefry2x32, type WordPair } from './keys.js'
export { type AnyKey, foldIn, keyOfTensor, keyTensor, toKeyTensor } from './keyTensor.js'
export { type NormalDType, type NormalOptions, normal } from './normal.js'
export { permutation } from './permutation.js'
export { type RandintOptions, randint } from './randint.js'
export { type SeededStream, seeded } from './seeded.js'
export type { NumericArray } from './take.js'
export { type TruncatedNormalOptions, truncatedNormal } from './truncatedNormal.js'
export { type DrawOptions, type UniformOptions, uniform } from './uniform.js'
