// The functions of float32 by their numbers: `float32Functions` in src/compile/graph/lowering.ts, in the same order.
import {
  exp2Float32, expm1Float32, sinhFloat32, coshFloat32, log2Float32, log10Float32, log1pFloat32, asinhFloat32, acoshFloat32,
  atanhFloat32, sinFloat32, cosFloat32, tanFloat32, asinFloat32, acosFloat32, atanFloat32, erfcFloat32, cbrtFloat32,
  rsqrtFloat32,
} from '../assembly/float32/unary'
import {
  expFloat32, sigmoidFloat32, siluFloat32, geluTanhFloat32, tanhFloat32, logFloat32, erfFloat32, geluFloat32, softplusFloat32,
} from '../assembly/float32/vector'

export function runFunction(which: i32, from: usize, to: usize, count: i32): void {
  switch (which) {
    case 0:
      expFloat32(from, to, count)
      return
    case 1:
      sigmoidFloat32(from, to, count)
      return
    case 2:
      siluFloat32(from, to, count)
      return
    case 3:
      geluTanhFloat32(from, to, count)
      return
    case 4:
      tanhFloat32(from, to, count)
      return
    case 5:
      logFloat32(from, to, count)
      return
    case 6:
      erfFloat32(from, to, count)
      return
    case 7:
      geluFloat32(from, to, count)
      return
    case 8:
      softplusFloat32(from, to, count)
      return
    case 9:
      exp2Float32(from, to, count)
      return
    case 10:
      expm1Float32(from, to, count)
      return
    case 11:
      sinhFloat32(from, to, count)
      return
    case 12:
      coshFloat32(from, to, count)
      return
    case 13:
      log2Float32(from, to, count)
      return
    case 14:
      log10Float32(from, to, count)
      return
    case 15:
      log1pFloat32(from, to, count)
      return
    case 16:
      asinhFloat32(from, to, count)
      return
    case 17:
      acoshFloat32(from, to, count)
      return
    case 18:
      atanhFloat32(from, to, count)
      return
    case 19:
      sinFloat32(from, to, count)
      return
    case 20:
      cosFloat32(from, to, count)
      return
    case 21:
      tanFloat32(from, to, count)
      return
    case 22:
      asinFloat32(from, to, count)
      return
    case 23:
      acosFloat32(from, to, count)
      return
    case 24:
      atanFloat32(from, to, count)
      return
    case 25:
      erfcFloat32(from, to, count)
      return
    case 26:
      cbrtFloat32(from, to, count)
      return
    case 27:
      rsqrtFloat32(from, to, count)
      return
    default:
      unreachable()
  }
}
