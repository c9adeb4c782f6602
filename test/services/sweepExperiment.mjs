/** The experiment of the tests of queues: a row with fields in an order of its own, after `ms` milliseconds that hold the thread. */
export default async ({ lr, ms = 0, bad = false, reports = 0, size = 0 }, { report }) => {
  for (let step = 1; step <= reports; step++) {
    report(step, { loss: lr / step, nan: Number.NaN })
    await new Promise((done) => setTimeout(done, 100))
  }
  const until = performance.now() + ms
  while (performance.now() < until);
  if (bad) throw new Error('it is bad')
  // Digits that no table packs.
  const digits = Array.from({ length: size }, (_, i) => String(Math.sin(i + lr)).slice(-8)).join('')
  return {
    ...(size > 0 ? { digits } : {}),
    zeta: lr / 3,
    loss: 1e-7 * lr,
    alpha: [lr, null, '\u0000 \ud800'],
    nan: Number.NaN,
  }
}
