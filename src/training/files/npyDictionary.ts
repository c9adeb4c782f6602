/** The three entries that the header of an npy file has. */
export interface NpyDictionary {
  readonly descr: string
  readonly fortranOrder: boolean
  readonly shape: readonly number[]
}

/** As many axes as NumPy's arrays have at most. */
const maxAxes = 64

/** A token of a Python literal: text, True or False, an integer (of Python 2 with an L), punctuation. */
const token = /[ \t\r\n]*('[^'\\\r\n]*'|"[^"\\\r\n]*"|True|False|-?\d+L?|[{}()[\],:])/y

type Value = string | boolean | readonly number[]

/** Reads the dictionary that is the header; nothing else can be written in it, so nothing is evaluated. */
export function parseNpyDictionary(op: string, text: string): NpyDictionary {
  const refuse = (at: number): never => {
    throw new RangeError(`${op}: not a header of npy [${text.slice(at, at + 50).trim()}]`)
  }
  let at = 0
  const next = (...allowed: readonly string[]): string => {
    token.lastIndex = at
    const found = token.exec(text)?.[1] ?? refuse(at)
    if (allowed.length > 0 && !allowed.includes(found)) refuse(at)
    at = token.lastIndex
    return found
  }
  const readShape = (): number[] => {
    const shape: number[] = []
    for (let item = next(); item !== ')'; item = next()) {
      // As Python has it, 02 is no number.
      const size = /^(0+|[1-9]\d*)L?$/.test(item) ? Number.parseInt(item, 10) : Number.NaN
      if (!(Number.isSafeInteger(size) && size >= 0)) throw new RangeError(`${op}: not a shape [${item}]`)
      shape.push(size)
      if (shape.length > maxAxes) {
        throw new RangeError(`${op}: more than ${maxAxes} axes [${text.slice(0, 50).trim()}]`)
      }
      if (next(',', ')') === ')') {
        // In Python (3) is a number and no tuple.
        if (shape.length === 1) {
          throw new RangeError(`${op}: not a shape, (${item}) without a comma [${item}]`)
        }
        break
      }
    }
    return shape
  }
  const readValue = (): Value => {
    const before = at
    const found = next()
    if (found === '(') return readShape()
    if (found === '[') {
      throw new TypeError(`${op}: structured arrays are not read [${text.slice(before, before + 50).trim()}]`)
    }
    if (found === 'True' || found === 'False') return found === 'True'
    return isText(found) ? found.slice(1, -1) : refuse(before)
  }

  const entries = new Map<string, Value>()
  next('{')
  for (let key = next(); key !== '}'; key = next()) {
    if (!isText(key)) refuse(at - key.length)
    const name = key.slice(1, -1)
    if (entries.has(name)) {
      throw new RangeError(`${op}: a key stands twice in the header [${name.slice(0, 50)}]`)
    }
    next(':')
    entries.set(name, readValue())
    if (next(',', '}') === '}') break
  }
  if (!/^[ \t\r\n]*$/.test(text.slice(at))) refuse(at)
  const [descr, fortranOrder, shape] = ['descr', 'fortran_order', 'shape'].map((name) => entries.get(name))
  if (
    entries.size !== 3 ||
    typeof descr !== 'string' ||
    typeof fortranOrder !== 'boolean' ||
    typeof shape !== 'object'
  ) {
    const names = [...entries.keys()].join(', ').slice(0, 50)
    throw new RangeError(`${op}: the header has not descr, fortran_order and shape [${names}]`)
  }
  return { descr, fortranOrder, shape }
}

function isText(found: string): boolean {
  return found.startsWith("'") || found.startsWith('"')
}
