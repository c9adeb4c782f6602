/** `hashOf` of the losses of the naive run in Node, by learning rate; a test computes them anew. */
export const nodeHashes: Readonly<Record<string, string>> = {
  '2.75e-4': 'fb77c70a',
  '1e-3': '3f79dccf',
  '2.75e-3': '430be1a8',
}
