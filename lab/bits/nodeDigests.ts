/** `digestsOf()` in Node; test/browsers/bits.test.ts computes them anew, in Node and in browsers. */
export const nodeDigests: Readonly<Record<string, string>> = {
  'every code of 13 formats': '3a8ba7e6',
  '40 tables of bfloat16 functions': 'a077ce67',
  'float32 functions': 'bf8fabba',
  'sums and products': '63d105e6',
  'random draws': 'dd746168',
  'a run to NaN': '90485478',
}
