// The body of a group: instructions of six words over blocks of elements. What lies behind the last element is computed along
// and never read.
import {
  CHECK, FUNCTION, HOST, LOAD, LOAD64, MIN, MUL_WITHIN, NARROW_ODD, READ, ROUND_FINITE, ROUND_POWER, ROUND_POWER_PRODUCT, TABLE16, TABLE8,
  TABLE_HALF, WRITE,
} from '../../src/tensors/compile/engine/opcodes'
import { holdsSigned, narrowOdd, roundFinite, roundPower, runMulWithin } from './arithmetic'
import { enter, halfCodes, leave } from './edges'
import { runFunction } from './functions'
import { runArithmetic } from './operations'
import { runSimple } from './simple'
import { load32, load64 } from './strided'
import { runWide } from './wide'

// @ts-ignore: decorator
@external("host", "elementwise")
declare function host(id: i32, to: usize, a: usize, b: usize, c: usize, count: i32): void

/** Where an operand of this block lies: its last four bits say by how many bytes an element it runs along. */
// @ts-ignore: decorator
@inline
function place(operand: usize, start: usize): usize {
  return (operand & ~15) + start * (operand & 15)
}

/** Runs the instructions between `pc` and `end` on elements start to start + count - 1; true where a NaN with a sign was found. */
export function runBody(pc: usize, end: usize, start: i32, count: i32): bool {
  let strange = false
  const from = usize(start)
  // Whole vectors: what lies behind the last element is looked up along, and there is room behind the tables.
  const bytes = usize((count + 3) & ~3) << 2
  for (; pc < end; pc += 24) {
    const opcode = load<i32>(pc)
    const to = place(load<i32>(pc, 4), from)
    const a = place(load<i32>(pc, 8), from)
    const b = place(load<i32>(pc, 12), from)
    const record = usize(load<i32>(pc, 20))
    if (opcode < MIN) {
      // Its third operand says that nobody asks for the signs of NaNs.
      if (runArithmetic(opcode, to, a, b, count, record, load<i32>(pc, 16) != 0)) strange = true
      continue
    }
    const c = place(load<i32>(pc, 16), from)
    if (runSimple(opcode, to, a, b, c, count)) continue
    switch (opcode) {
      case CHECK:
        if (holdsSigned(a, count)) strange = true
        break
      case FUNCTION:
        runFunction(i32(record), a, to, count)
        break
      case TABLE16:
        lookUp16(to, a, record, bytes)
        break
      case TABLE8:
        lookUp8(to, a, record, bytes)
        break
      case TABLE_HALF:
        lookUpHalf(to, a, record, bytes)
        break
      case MUL_WITHIN:
      case MUL_WITHIN + 1:
        runMulWithin(opcode, to, a, b, count, record)
        break
      case ROUND_FINITE:
        roundFinite(to, a, bytes, record)
        break
      case ROUND_POWER:
        roundPower(to, a, bytes, false)
        break
      case ROUND_POWER_PRODUCT:
        roundPower(to, a, bytes, true)
        break
      case NARROW_ODD:
        narrowOdd(to, a, bytes)
        break
      case LOAD:
        load32(to, a, record, start, count)
        break
      case LOAD64:
        load64(to, a, record, start, count)
        break
      case HOST:
        host(i32(record), to, a, b, c, count)
        break
      default:
        if (runWide(opcode, to, a, b, c, count)) break
        if (opcode >= WRITE) leave(a, to, count, opcode - WRITE, record)
        else if (opcode < READ) unreachable()
        else if (enter(a, to, count, opcode - READ, record)) strange = true
    }
  }
  return strange
}

function lookUp16(to: usize, a: usize, table: usize, bytes: usize): void {
  for (const end = to + bytes; to < end; to += 16, a += 16) {
    const x = u32(load<u16>(table + (usize(load<u16>(a, 2)) << 1)))
    const y = u32(load<u16>(table + (usize(load<u16>(a, 6)) << 1)))
    const z = u32(load<u16>(table + (usize(load<u16>(a, 10)) << 1)))
    const w = u32(load<u16>(table + (usize(load<u16>(a, 14)) << 1)))
    store<u32>(to, x << 16)
    store<u32>(to, y << 16, 4)
    store<u32>(to, z << 16, 8)
    store<u32>(to, w << 16, 12)
  }
}

function lookUp8(to: usize, a: usize, table: usize, bytes: usize): void {
  for (const end = to + bytes; to < end; to += 16, a += 16) {
    const x = u32(load<u16>(table + ((load<u32>(a) >> 19) << 1)))
    const y = u32(load<u16>(table + ((load<u32>(a, 4) >> 19) << 1)))
    const z = u32(load<u16>(table + ((load<u32>(a, 8) >> 19) << 1)))
    const w = u32(load<u16>(table + ((load<u32>(a, 12) >> 19) << 1)))
    store<u32>(to, x << 16)
    store<u32>(to, y << 16, 4)
    store<u32>(to, z << 16, 8)
    store<u32>(to, w << 16, 12)
  }
}

function lookUpHalf(to: usize, a: usize, table: usize, bytes: usize): void {
  for (const end = to + bytes; to < end; to += 16, a += 16) {
    // Codes of what lies behind the last element may be beyond 16 bits.
    const codes = v128.and(halfCodes(v128.load(a)), i32x4.splat(0xffff))
    store<u32>(to, load<u32>(table + (i32x4.extract_lane(codes, 0) << 2)))
    store<u32>(to, load<u32>(table + (i32x4.extract_lane(codes, 1) << 2)), 4)
    store<u32>(to, load<u32>(table + (i32x4.extract_lane(codes, 2) << 2)), 8)
    store<u32>(to, load<u32>(table + (i32x4.extract_lane(codes, 3) << 2)), 12)
  }
}
