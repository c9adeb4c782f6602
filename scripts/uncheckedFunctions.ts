/**
 * Functions whose arguments other functions have checked, called for every element, code, tensor or number of a real
 * computation, where a check would cost as much as the work; and errors, which are made of any text.
 */
export const uncheckedFunctions: Readonly<Record<string, string>> = {
  tensor:
    'placesRead broadcastPlaces lanesRead movedPlaces scanReads sameShape sizeOf stridesOf elementsOf isSealed',
  formats: 'isNaNCode floorLog2',
  random: 'threefry2x32',
  autodiff: 'invalidKind',
  io: 'BadInput CannotWrite',
  hosts: 'HostLost',
  sweep: 'TrialFailed',
  queue: 'QueueFailed',
  precision: 'minus over plus root times toFloat64 isWide kindOf recorded bitsApart',
}
