// The Threefry-2x32 cipher and keys as values, for draws (tensors/random) and for whoever only splits keys. Read key.ts first.
export { foldIn, type Key, key, keyWords, split } from './key.js'
export { threefry2x32, type WordPair } from './threefry.js'
