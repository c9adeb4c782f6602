import { adamw, type GradientTransformation } from '../../../optimizer/index.js'
import type { Schedule } from '../../../schedule/index.js'

/** The optimizer of arms that are about something else: AdamW with states in float32, as language models are pretrained. */
export const plainAdamw = (learningRate: Schedule): GradientTransformation =>
  adamw({ learningRate, b2: 0.95, weightDecay: 0.1 })
