/**
 * Whether this is the long run, `npm run test:long` of CI, which repeats the files that ask for it with whole counts; `npm test` draws fewer and
 * leaves out cases that take long.
 */
export const isLong: boolean = process.env['TPU_TOOLKIT_LONG'] === '1'
