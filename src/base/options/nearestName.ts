import { closestMatch } from 'leven'

/** Names of this package, each followed by what papers and other libraries call it; a string, since every bundle has it. */
const elsewhere =
  'bfloat16 bf16|float16 fp16 half|float32 fp32|float8_e4m3fn fp8 e4m3|float8_e5m2 e5m2|float4_e2m1fn fp4|' +
  'learningRate lr|weightDecay wd|eps epsilon|b1 beta1|b2 beta2'

const calledElsewhere = (name: string): string | undefined =>
  elsewhere
    .split('|')
    .map((group) => group.split(' '))
    .find(([, ...others]) => others.includes(name))?.[0]

/**
 * The known name that a name was most likely meant to be: the one with the fewest changed characters, capitals and
 * separators not counted, where fewer than half of them changed; what a common abbreviation stands for; undefined where there is none so near.
 *
 * @example nearestName('accumlate', ['axis', 'order', 'accumulate']) // 'accumulate'
 * @example nearestName('weight_decay', ['weightDecay', 'mask']) // 'weightDecay'
 * @example nearestName('lr', ['learningRate', 'b1']) // 'learningRate'
 * @example nearestName('banana', ['axis', 'order']) // undefined
 */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  const byPlain = new Map<string, string>()
  for (const candidate of known) if (!byPlain.has(plain(candidate))) byPlain.set(plain(candidate), candidate)
  const given = plain(name)
  const exact = byPlain.get(given)
  if (exact !== undefined) return exact
  const meant = byPlain.get(plain(calledElsewhere(given) ?? ''))
  if (meant !== undefined) return meant
  const match = closestMatch(given, [...byPlain.keys()], { maxDistance: Math.floor((given.length - 1) / 2) })
  return byPlain.get(match ?? '')
}

const plain = (name: string): string =>
  name
    .slice(0, 100)
    .toLowerCase()
    .replace(/[-_ .]/g, '')
