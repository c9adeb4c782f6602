/** `hashOf` of the losses of the naive run in Node, by learning rate; a test computes them anew. */
export declare const nodeHashes: Readonly<Record<string, string>>
