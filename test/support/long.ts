/**
 * Whether this is the long run, `npm run test:long` of CI, which repeats the files that ask for it with whole counts; `npm test` draws fewer and
 * leaves out cases that take long.
 */
export const isLong: boolean = process.env['TPU_TOOLKIT_LONG'] === '1'

/** The cases of this run, where each costs and stands by itself: `npm test` takes those chosen for it, the long run all others. */
export function casesOfThisRun<T>(cases: readonly T[], inShortRun: (each: T, index: number) => boolean): T[] {
  return cases.filter((each, index) => inShortRun(each, index) !== isLong)
}
