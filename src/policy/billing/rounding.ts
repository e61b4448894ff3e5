import { type NanoUsd, nanoUsd } from '../nano-usd.ts'

/** Rounding units of invoice amounts. `exact` shows every nano-USD. */
export const ROUNDINGS = ['exact', 'cent'] as const
export type Rounding = (typeof ROUNDINGS)[number]

const STEPS: Readonly<Record<Rounding, number>> = { exact: 1, cent: 10_000_000 }

/** Rounds an amount to the nearest step, half a step up. Adding 0 turns -0 into 0. */
export const rounded = (amount: NanoUsd, to: Rounding): NanoUsd =>
  nanoUsd(Math.round(amount / STEPS[to]) * STEPS[to] + 0)

/**
 * Rounds the parts of a total so that they add up to the rounded total, by the largest remainder: all are rounded down, and the
 * steps that are missing go to the parts that lost most, the first of equals first. No part is off by a whole step.
 */
export function roundedParts(parts: readonly NanoUsd[], to: Rounding): readonly NanoUsd[] {
  const step = STEPS[to]
  const lower = parts.map(part => Math.floor(part / step) * step)
  const lost = parts.map((part, at) => ({ at, rest: part - (lower[at] ?? 0) }))
  const missing = Math.round(lost.reduce((sum, { rest }) => sum + rest, 0) / step)
  const neediest = lost.sort((a, b) => b.rest - a.rest || a.at - b.at).slice(0, missing)
  const raised = new Set(neediest.map(({ at }) => at))
  return lower.map((part, at) => nanoUsd(raised.has(at) ? part + step : part))
}
