import { count } from '../shared/fmt.ts'
import * as text from './texts/outlook.tsx'

/** `840 ms`, `2.1 s`. */
export const msText = (ms: number): string =>
  ms >= 1000 ? text.seconds(count(ms / 1000)) : text.milliseconds(count(Math.round(ms)))

/** A latency, or a dash where nothing was measured. */
export const latencyText = (ms: number | null): string => (ms === null ? text.noValue : msText(ms))
