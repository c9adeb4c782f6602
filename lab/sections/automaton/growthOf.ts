import { arithmetics, type GrowAnswer, type GrowAsked, type Hurt, type Wound } from './automatonMessages.js'
import { type Fields, fieldsOf } from './growing.js'

/** Steps between two counts of what is lost, which cost more than the steps. */
export const between = 16

/** Grows as it is asked to; what continues the last growth goes on from there. */
export function growths(): (asked: GrowAsked) => Generator<GrowAnswer> {
  let [seed, scale, step, inflicted]: [number, number, number, readonly Wound[]] = [-1, 1, 0, []]
  let hurt: Hurt | undefined
  let current: Fields | undefined
  let lost: number[] = []
  return function* grow(asked) {
    const goesOn =
      current !== undefined &&
      asked.seed === seed &&
      asked.scale === scale &&
      asked.to >= step &&
      inflicted.every((wound, i) => same(wound, asked.wounds[i])) &&
      asked.wounds.slice(inflicted.length).every((wound) => wound.step >= step)
    const { fields, advance } = goesOn && current ? current : fieldsOf(asked.seed, asked.scale)
    if (!goesOn) {
      current = { fields, advance }
      ;[seed, scale, step, inflicted] = [asked.seed, asked.scale, 0, []]
      hurt = undefined
      lost = arithmetics.map(() => 0)
    }
    for (;;) {
      for (const wound of asked.wounds.slice(inflicted.length)) {
        if (wound.step !== step) break
        // Of several wounds at a step the state before the first.
        const before = hurt?.step === step ? hurt.before : fields.map((field) => field.seen().loss)
        for (const field of fields) field.hurt(wound)
        hurt = { step, before, after: fields.map((field) => field.seen().loss) }
        inflicted = [...inflicted, wound]
      }
      if (step > 0 && step % between === 0) lost = fields.map((field) => field.lost())
      const grown = fields.map((field, i) => ({ ...field.seen(), lost: lost[i]! }))
      yield { seed, scale, step, grown, ...(hurt && { hurt }) }
      if (step >= asked.to) return
      advance()
      step++
    }
  }
}

function same(a: Wound, b: Wound | undefined): boolean {
  return a.step === b?.step && a.x === b.x && a.y === b.y && a.radius === b.radius
}
