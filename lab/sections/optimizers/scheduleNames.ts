/** The schedules of the library, by the names of their functions. */
export const scheduleNames = [
  'constantSchedule',
  'linearSchedule',
  'polynomialSchedule',
  'cosineDecaySchedule',
  'exponentialDecay',
  'warmupConstantSchedule',
  'warmupCosineDecaySchedule',
  'warmupExponentialDecaySchedule',
  'inverseSqrtSchedule',
  'wsdSchedule',
  'piecewiseConstantSchedule',
  'piecewiseInterpolateSchedule',
  'linearOnecycleSchedule',
  'cosineOnecycleSchedule',
  'joinSchedules',
  'sgdrSchedule',
  'doublingRestartsSchedule',
] as const
export type ScheduleName = (typeof scheduleNames)[number]
