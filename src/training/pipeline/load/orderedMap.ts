/** How long work that is under way is waited for once nobody wants it, in milliseconds. */
const grace = 1000

/** Ends what runs ahead. */
export class Stop {
  #waiting: (() => void) | undefined
  #isOver = false

  get isOver(): boolean {
    return this.#isOver
  }

  /** Whoever waits, waits no longer. */
  stop(): void {
    this.#isOver = true
    this.#waiting?.()
  }

  /** What a promise comes to, or undefined as soon as all is to end. One waits at a time. */
  async until<T>(promise: T | Promise<T>): Promise<T | undefined> {
    if (this.#isOver) return undefined
    // Not a race with one lasting promise, which would keep every other that it was ever raced with.
    try {
      return await new Promise<T | undefined>((resolve, reject) => {
        this.#waiting = () => resolve(undefined)
        Promise.resolve(promise).then(resolve, reject)
      })
    } finally {
      this.#waiting = undefined
    }
  }
}

/**
 * The results of `work` over items, in the items' order, with up to `limit` under way at a time. Nothing more is begun
 * than what is asked for and `limit` lets run ahead; when the consumer stops, what is under way is waited for, a second at
 * most: it may never end. After `stop` nobody is waited for who was to give the next item either.
 */
export async function* orderedMap<In, Out>(
  items: Iterable<In> | AsyncIterable<In>,
  limit: number,
  work: (item: In) => Promise<Out>,
  stop: Stop = new Stop(),
): AsyncGenerator<Out, void, void> {
  const source = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]()
  const underWay: Promise<{ readonly out: Out }>[] = []
  let ended = false
  try {
    while (true) {
      while (!ended && underWay.length < limit) {
        const next = await stop.until(source.next())
        if (next === undefined) return
        if (next.done) {
          ended = true
        } else {
          const result = work(next.value).then((out) => ({ out }))
          // It is awaited in its turn; until then its failure is not unheard of.
          result.catch(() => {})
          underWay.push(result)
        }
      }
      const result = underWay.shift()
      if (!result) return
      const done = await stop.until(result)
      if (done === undefined) return
      yield done.out
    }
  } finally {
    await settled(underWay)
    const closing = Promise.resolve(source.return?.())
    await (stop.isOver ? settled([closing]) : closing)
  }
}

/** Waits for all of them, for a second at most. */
async function settled(promises: readonly Promise<unknown>[]): Promise<void> {
  if (promises.length === 0) return
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, grace)
  })
  await Promise.race([Promise.allSettled(promises), late])
  clearTimeout(timer)
}
