import type { EpochMs } from '../../policy/config.ts'

/** `10:02:11`, UTC. */
export function timeOfDay(at: EpochMs): string {
  const second = Math.floor(at / 1000) % 86_400
  return `${digits(second / 3600)}:${digits((second / 60) % 60)}:${digits(second % 60)}`
}

/** A moment as records have it, to the second: `2026-11-21T12:00:00Z`. */
export const withoutFraction = (moment: string): string => moment.replace(/\.\d+Z$/, 'Z')

const DIGITS: readonly string[] = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'))

const digits = (number: number): string => DIGITS[Math.floor(number)] ?? '00'
