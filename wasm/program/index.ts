// The interpreter of compiled programs: src/tensors/compile writes words into this memory and runs them. Nothing is allocated here.
import { BAIL, CALL, CUMSUM, END, ENTER, EXTREMUM, GEMM, GROUP, JOIN, LEAVE, CHECK_NAN, SCATTER, SUM, TAKE } from '../../src/tensors/compile/engine/opcodes'
import { holdsNaN } from './arithmetic'
import { runBody } from './body'
import { enter, leave, startOf } from './edges'
import { gemm } from './gemm'
import { extremumLanes, scanLanes, sumLanes } from './lanes'
import { joinParts, scatterRows, takeRows } from './rows'

// @ts-ignore: decorator
@external("host", "step")
declare function call(id: i32): void

/** Runs steps from `pc` to the next END. 1 where a NaN was found whose bits this memory cannot tell, or an index outside an axis. */
export function run(pc: usize): i32 {
  let strange = false
  while (true) {
    switch (load<i32>(pc)) {
      case END:
        return i32(strange)
      case BAIL:
        if (strange) return 1
        pc += 4
        break
      case GROUP: {
        const to = load<i32>(pc, 8)
        const block = load<i32>(pc, 12)
        const body = pc + 20
        const end = body + load<i32>(pc, 16)
        for (let start = load<i32>(pc, 4); start < to; start += block) {
          if (runBody(body, end, start, min(block, to - start))) strange = true
        }
        pc = end
        break
      }
      case GEMM:
        gemm(pc)
        pc += 72
        break
      case SUM:
        sumLanes(pc)
        pc += 52
        break
      case EXTREMUM:
        extremumLanes(pc)
        pc += 32
        break
      case CUMSUM:
        scanLanes(pc)
        pc += 40
        break
      case JOIN:
        pc = joinParts(pc)
        break
      case TAKE:
        if (takeRows(pc)) return 1
        pc += 36
        break
      case SCATTER:
        if (scatterRows(pc)) return 1
        pc += 56
        break
      case CALL:
        call(load<i32>(pc, 4))
        pc += 8
        break
      case ENTER:
        if (enterWhole(pc)) strange = true
        pc += 20
        break
      case CHECK_NAN:
        if (holdsNaN(load<i32>(pc, 4), load<i32>(pc, 8))) strange = true
        pc += 12
        break
      case LEAVE:
        leaveWhole(pc)
        pc += 20
        break
      default:
        unreachable()
    }
  }
}

// @ts-ignore: decorator
@inline
function enterWhole(pc: usize): bool {
  const at = usize(load<i32>(pc, 4))
  const count = load<i32>(pc, 8)
  const kind = load<i32>(pc, 12)
  return enter(startOf(at, count, kind), at, count, kind, usize(load<i32>(pc, 16)))
}

// @ts-ignore: decorator
@inline
function leaveWhole(pc: usize): void {
  const at = usize(load<i32>(pc, 4))
  leave(at, at, load<i32>(pc, 8), load<i32>(pc, 12), usize(load<i32>(pc, 16)))
}
