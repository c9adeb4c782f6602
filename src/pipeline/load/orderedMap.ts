/**
 * The results of `work` over items, in the items' order, with up to `limit` under way at a time. Nothing more is begun
 * than what is asked for and `limit` lets run ahead; when the consumer stops, what is under way is waited for.
 */
export async function* orderedMap<In, Out>(
  items: Iterable<In> | AsyncIterable<In>,
  limit: number,
  work: (item: In) => Promise<Out>,
): AsyncGenerator<Out, void, void> {
  const source = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]()
  const underWay: Promise<Out>[] = []
  let ended = false
  try {
    while (true) {
      while (!ended && underWay.length < limit) {
        const next = await source.next()
        if (next.done) ended = true
        else {
          const result = work(next.value)
          // It is awaited in its turn; until then its failure is not unheard of.
          result.catch(() => {})
          underWay.push(result)
        }
      }
      const result = underWay.shift()
      if (!result) return
      yield await result
    }
  } finally {
    await Promise.allSettled(underWay)
    await source.return?.()
  }
}
