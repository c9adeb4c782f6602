import { emptyRecord, type RoundingRecord, type RoundingSite } from './roundingSite.js'
import type { Inner, InnerModel, Tf, TfLoss, TfTensor } from './tfjs.js'

/** One batch on which effects are measured. */
export interface Probe {
  /** The model's input, or inputs. */
  readonly x: TfTensor | readonly TfTensor[]
  /** The target, or one for each output. */
  readonly y: TfTensor | readonly TfTensor[]
  /** The loss of (target, output) for every output; its mean counts. Default: what the model is compiled with. */
  readonly loss?: (target: never, output: never) => TfTensor
}

/** What rounding at one place, alone, does on one batch. */
export interface RoundingEffect extends RoundingRecord {
  /** |outputs - outputs in float32| / |outputs in float32|, Euclidean norms over all outputs. */
  readonly outputs: number
  /** The loss minus the loss in float32. */
  readonly loss: number
  /** As `outputs`, over the gradients of all trainable weights. */
  readonly gradients: number
}

/** What the rounding at the one place is counted in. */
interface Seen {
  record: RoundingRecord
}

interface Outcome {
  readonly outputs: readonly number[]
  readonly loss: number
  readonly gradients: readonly number[]
}

/**
 * The effect of every place that numbers pass, the largest change first. `roundAlone` makes the model round at one
 * place, or at none.
 */
export function roundingEffects(
  tf: Tf,
  model: InnerModel,
  probe: Probe,
  places: readonly RoundingSite[],
  roundAlone: (place: RoundingSite | undefined, seen: Seen) => void,
): RoundingEffect[] {
  const run = runOf(tf, model, probe)
  const outcome = (place: RoundingSite | undefined, seen: Seen): Outcome => {
    roundAlone(place, seen)
    return run()
  }
  const nowhere: RoundingSite = { layer: '', kind: 'weight', tensor: '' }
  const exact = outcome(undefined, { record: emptyRecord(nowhere) })
  const effects = places.flatMap((place) => {
    const seen = { record: emptyRecord(place) }
    const { outputs, loss, gradients } = outcome(place, seen)
    if (seen.record.elements === 0) return []
    return {
      ...seen.record,
      outputs: distance(outputs, exact.outputs),
      loss: loss - exact.loss,
      gradients: distance(gradients, exact.gradients),
    }
  })
  return effects.sort((a, b) => compare(size(b), size(a)))
}

/** The model, its loss and its gradients on the probe, as often as it is called. */
function runOf(tf: Tf, model: InnerModel, probe: Probe): () => Outcome {
  const inputs = probe.x as Inner | readonly Inner[]
  const targets = listOf(probe.y as Inner | readonly Inner[])
  const compiled = model.lossFunctions ?? model.model?.lossFunctions ?? []
  const losses = probe.loss ? targets.map(() => probe.loss as unknown as TfLoss) : compiled
  if (losses.length !== targets.length) {
    throw new RangeError(
      `effects: needs a loss and a target for each output, compile the model or give a loss [${losses.length} losses, ${targets.length} targets]`,
    )
  }
  return () =>
    tf.tidy(() => {
      let outputs: readonly Inner[] = []
      const weights = model.trainableWeights.map((weight) => weight.read())
      const total = (): Inner => {
        outputs = listOf(model.apply(inputs, { training: false }))
        if (outputs.length !== targets.length) {
          throw new RangeError(
            `effects: needs a target for each output [${targets.length} of ${outputs.length}]`,
          )
        }
        // Gradients are asked for inside of a scope that would free them.
        for (const output of outputs) tf.keep(output)
        return outputs
          .map((output, i) => tf.mean(losses[i]!(targets[i]!, output)))
          .reduce((a, b) => tf.add(a, b))
      }
      const { value, grads } = tf.variableGrads(total, weights)
      const numbers = outputs.flatMap(numbersOf)
      for (const output of outputs) output.dispose()
      return {
        outputs: numbers,
        loss: numbersOf(value)[0]!,
        gradients: weights.flatMap((weight) => {
          const gradient = grads[weight.name]
          return gradient ? numbersOf(gradient) : []
        }),
      }
    })
}

function numbersOf(x: Inner): number[] {
  return Array.from(x.dataSync() as Float32Array)
}

function listOf<X>(x: X | readonly X[]): readonly X[] {
  return Array.isArray(x) ? x : [x as X]
}

/** |a - b| / |b|; 0 where they are equal, whatever b is. */
function distance(a: readonly number[], b: readonly number[]): number {
  let apart = 0
  let norm = 0
  for (let i = 0; i < a.length; i++) {
    if (!Object.is(a[i], b[i])) apart += (a[i]! - b[i]!) ** 2
    norm += b[i]! ** 2
  }
  return apart === 0 ? 0 : Math.sqrt(apart / norm)
}

/** NaN, where rounding overflowed, counts as more than any number. */
function size({ outputs, gradients }: RoundingEffect): number {
  const larger = Math.max(outputs, gradients)
  return Number.isNaN(larger) ? Infinity : larger
}

function compare(a: number, b: number): number {
  return a === b ? 0 : a - b
}
