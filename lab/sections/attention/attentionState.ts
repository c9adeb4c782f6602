import { flag, numberFrom, oneOf, sectionState, text } from '../../shell/urlState.js'
import { operandDTypes } from './attentionMessages.js'

export const maskNames = [
  'full',
  'causal',
  'window',
  'chunked',
  'prefix',
  'segments',
  'strided',
  'fixed',
  'dilated',
  'longformer',
] as const
export type MaskName = (typeof maskNames)[number]

export const errorTokens = ['64', '128', '256', '512'] as const

/** What the section shows: a mask in blocks, and the error of kernels under it. Block sizes are powers of two. */
export const state = sectionState('attention', {
  mask: oneOf(maskNames, 'window'),
  tokens: numberFrom(64, 2048, 1024, 1),
  powerQ: numberFrom(3, 9, 7, 1),
  powerK: numberFrom(3, 9, 7, 1),
  left: numberFrom(0, 2047, 255, 1),
  right: numberFrom(0, 2047, 0, 1),
  size: numberFrom(1, 2048, 256, 1),
  prefix: numberFrom(0, 2048, 200, 1),
  documents: text('3, 5, 2', 200),
  stride: numberFrom(1, 1024, 128, 1),
  summary: numberFrom(0, 64, 8, 1),
  reach: numberFrom(0, 64, 3, 1),
  count: numberFrom(0, 512, 64, 1),
  causal: flag(false),
  row: numberFrom(0, 255, 0, 1),
  column: numberFrom(0, 255, 0, 1),
  rows: oneOf(errorTokens, '256'),
  dtype: oneOf(operandDTypes, 'bfloat16'),
  sharp: numberFrom(0, 5, 0),
  seed: numberFrom(0, 1e6, 0, 1),
})
