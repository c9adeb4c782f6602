import { exp, tensor } from 'tpu-toolkit'

export const f = exp
export const input = tensor(1)
