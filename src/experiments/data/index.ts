// Recorded data that experiments run on, as plain tables with their source and checksum.
export { earthquakeGaps } from './earthquakeGaps.js'
export { flightGaps } from './flightGaps.js'
export type { DailyPrices } from './dailyPrices.js'
export { sp500 } from './sp500.js'
