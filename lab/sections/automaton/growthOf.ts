import { arithmetics, type GrowAnswer, type GrowAsked, type Wound } from './automatonMessages.js'
import { type Fields, fieldsOf } from './growing.js'

/** Steps between two counts of what is lost, which cost more than the steps. */
export const between = 16

/** Grows as it is asked to; what continues the last growth goes on from there. */
export function growths(): (asked: GrowAsked) => Generator<GrowAnswer> {
  let [seed, step, inflicted]: [number, number, readonly Wound[]] = [-1, 0, []]
  let current: Fields | undefined
  let lost: number[] = []
  return function* grow(asked) {
    const goesOn =
      current !== undefined &&
      asked.seed === seed &&
      asked.to >= step &&
      inflicted.every((wound, i) => same(wound, asked.wounds[i])) &&
      asked.wounds.slice(inflicted.length).every((wound) => wound.step >= step)
    const { fields, advance } = goesOn && current ? current : fieldsOf(asked.seed)
    if (!goesOn) {
      current = { fields, advance }
      ;[seed, step, inflicted] = [asked.seed, 0, []]
      lost = arithmetics.map(() => 0)
    }
    for (;;) {
      for (const wound of asked.wounds.slice(inflicted.length)) {
        if (wound.step !== step) break
        for (const { hurt } of fields) hurt(wound)
        inflicted = [...inflicted, wound]
      }
      if (step > 0 && step % between === 0) lost = fields.map((field) => field.lost())
      yield { seed, step, grown: fields.map((field, i) => ({ ...field.seen(), lost: lost[i]! })) }
      if (step >= asked.to) return
      advance()
      step++
    }
  }
}

function same(a: Wound, b: Wound | undefined): boolean {
  return a.step === b?.step && a.x === b.x && a.y === b.y && a.radius === b.radius
}
