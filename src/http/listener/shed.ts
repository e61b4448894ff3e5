import type { Caller } from '../../policy/facts.ts'
import type { ListenerApp } from './app.ts'
import type { HttpCall } from './call.ts'
import { refuses } from './overload.ts'

/**
 * Whether a request is refused because there is too much to do. Where the bodies and answers of a few accounts are the cause, they are
 * refused, and all others are served as ever; else those that the level says.
 */
export function isShed(
  { shedding, turns }: Pick<ListenerApp, 'shedding' | 'turns'>,
  caller: Caller['kind'] | 'unknown',
  account?: string,
): boolean {
  const level = shedding()
  if (level === 0) return false
  // The memory is nearly full: the caller is not looked up.
  if (caller === 'unknown') return refuses(level, caller)
  const blamed = turns.blames(account)
  return blamed === 'none' || level > 2 ? refuses(level, caller) : blamed === 'it'
}

/** Refuses and closes, so that a retry reaches another gateway. */
export function refuse(call: HttpCall): void {
  call.rejectFurther()
  call.deny(OVERLOADED.denial)
}

export const OVERLOADED = { denial: { code: 'OVERLOADED', of: 'gateway' } } as const
