/** The experiment of the tests of queues: a row with fields in an order of its own, after `ms` milliseconds that hold the thread. */
export default ({ lr, ms = 0, bad = false }) => {
  const until = performance.now() + ms
  while (performance.now() < until);
  if (bad) throw new Error('it is bad')
  return { zeta: lr / 3, loss: 1e-7 * lr, alpha: [lr, null, '\u0000 \ud800'], nan: Number.NaN }
}
