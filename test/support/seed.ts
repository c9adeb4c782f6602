const given = process.env['TPU_TOOLKIT_SEED']
if (process.env['CI'] && !given) throw new Error('seed: TPU_TOOLKIT_SEED is not set, and CI is [undefined]')

/**
 * The seed of every drawn test input: TPU_TOOLKIT_SEED, or 1. Suites print it in their title; to repeat a
 * failure run `TPU_TOOLKIT_SEED=<seed> npx vitest run <file>`. Where CI is set the variable is mandatory.
 */
export const seed: number = Number(given ?? 1)
if (!Number.isSafeInteger(seed)) throw new Error(`seed: TPU_TOOLKIT_SEED is not an integer [${given}]`)
