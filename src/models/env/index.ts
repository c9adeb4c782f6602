// Environments as pure functions of state, action and key. Read environment.ts first, then cartPole.ts and tradingEnv.ts.
// The trading environment is a subject of numerics and of leakage tests; nothing here says anything about profit.
export type { Environment, Transition } from './environment.js'
export { type CartPoleOptions, type CartPoleState, cartPole } from './cartPole.js'
export {
  type Autoreset,
  type VectorEnvironment,
  type VectorEnvOptions,
  type VectorState,
  type VectorTransition,
  vectorEnv,
} from './vectorEnv.js'
export type { PriceSeries } from './series.js'
export { type Features, featureNames, tradingFeatures } from './tradingFeatures.js'
export { type FitScalerOptions, fitScaler, type Scaler } from './fitScaler.js'
export {
  type TradingEnvironment,
  type TradingEnvOptions,
  type TradingReward,
  type TradingState,
  type TradingTransition,
  tradingEnv,
} from './tradingEnv.js'
export { type Baselines, type BaselinesOptions, baselines, type Outcome, play } from './baselines.js'
export {
  type LeakageCheck,
  type LeakageOptions,
  type LeakageReport,
  leakageReport,
} from './leakageReport.js'
