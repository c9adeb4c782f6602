export { type Key, key, split, threefry2x32, type WordPair } from '../../numbers/threefry/index.js'
