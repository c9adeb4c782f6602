import { checkInteger } from '../../base/options/index.js'

/** Throws a RangeError unless the action is one of 0, ..., actions - 1. */
export function checkAction(op: string, action: number, actions: number): void {
  checkInteger(op, 'the action', action, 0, actions - 1)
}
