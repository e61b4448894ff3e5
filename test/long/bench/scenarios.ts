import { type Call, TEXT } from './call.ts'
import type { Fault } from './wall.ts'

/** A fault of the public catalogue (failoverbench, methodology 0.1), by its number there. */
export interface Scenario {
  readonly id: string
  readonly title: string
  readonly fault: Fault
  /** How long a client waits before the call counts as a hang. */
  readonly seconds: number
  /** Set for a sequence: how many requests, one each four seconds. */
  readonly requests?: number
  /** The client is to get an error. */
  readonly isRefused?: true
  readonly checks: readonly Check[]
}

/** The views of client and provider. */
export interface Seen {
  readonly calls: readonly (Call & { readonly at: number })[]
  /** Chats that came to the failing provider, in seconds. */
  readonly attempts: readonly number[]
  readonly fallbacks: number
  readonly fallbackModel: string
  readonly isAlive: boolean
  readonly recoveredAt: number | undefined
}

interface Check {
  readonly name: string
  /** It makes a pass partial, and fails nothing. */
  readonly isAdvisory?: true
  readonly holds: (seen: Seen) => boolean
}

/** `safe`: not rescued, but a clean error in time. */
export type Verdict = 'pass' | 'partial' | 'safe' | 'FAIL'

const attemptsMost = (most: number): Check => ({
  name: `at most ${most} attempts`,
  holds: ({ attempts }) => attempts.length <= most,
})
const noHammer = (most: number, within: number): Check => ({
  name: `at most ${most} attempts in ${within} s`,
  holds: ({ attempts: [first = 0, ...more] }) => 1 + more.filter(at => at - first < within).length <= most,
})
const within = (seconds: number): Check => ({
  name: `within ${seconds} s`,
  holds: ({ calls }) => calls.every(call => call.seconds <= seconds),
})
const retried: Check = { name: 'retried', isAdvisory: true, holds: ({ attempts }) => attempts.length >= 2 }
const aliveAfter: Check = { name: 'alive after', holds: ({ isAlive }) => isAlive }
const usage: Check = { name: 'usage', isAdvisory: true, holds: ({ calls }) => calls.every(({ hasUsage }) => hasUsage) }
const advisory = (check: Check): Check => ({ ...check, isAdvisory: true })

const DOWN_S = 60

export const SCENARIOS: readonly Scenario[] = [
  {
    ...{ id: 'S01', title: '429 with Retry-After: 2', fault: 'retry-after-once', seconds: 20 },
    checks: [
      retried,
      {
        name: 'Retry-After honoured',
        isAdvisory: true,
        holds: ({ attempts: [first = 0, second] }) => second !== undefined && second - first >= 1.8,
      },
      noHammer(2, 1.5),
    ],
  },
  {
    ...{ id: 'S02', title: '429 without Retry-After, for ever', fault: '429', seconds: 40 },
    checks: [noHammer(4, 3), attemptsMost(6)],
  },
  { ...{ id: 'S03', title: '500 once', fault: '500-once', seconds: 20 }, checks: [retried] },
  { ...{ id: 'S04', title: '503 for ever', fault: '503', seconds: 40 }, checks: [attemptsMost(6)] },
  { ...{ id: 'S05', title: 'reset before headers, once', fault: 'reset-once', seconds: 20 }, checks: [] },
  {
    ...{ id: 'S06', title: 'no answer at all', fault: 'no-response', seconds: 130 },
    checks: [within(100), advisory(attemptsMost(1))],
  },
  {
    ...{ id: 'S07', title: 'first token after 20 s', fault: 'slow-first-token', seconds: 60 },
    checks: [advisory(within(15))],
  },
  { ...{ id: 'S08', title: 'cut after 40 of 60 tokens', fault: 'cut', seconds: 40 }, checks: [] },
  {
    ...{ id: 'S09', title: 'silent for 30 s after 20 tokens', fault: 'stall', seconds: 70 },
    checks: [within(45), aliveAfter],
  },
  { ...{ id: 'S10', title: 'one malformed event', fault: 'malformed', seconds: 30 }, checks: [aliveAfter] },
  { ...{ id: 'S11', title: 'no [DONE]', fault: 'no-done', seconds: 30 }, checks: [within(8), usage] },
  { ...{ id: 'S12', title: 'context length', fault: 'context-length', seconds: 20 }, checks: [attemptsMost(1)] },
  {
    ...{ id: 'S13', title: 'content filter', fault: 'content-filter', seconds: 20, isRefused: true },
    checks: [attemptsMost(1)],
  },
  { ...{ id: 'S14', title: 'cut; the fallback takes no prefill', fault: 'cut', seconds: 40 }, checks: [] },
  {
    ...{ id: 'S15', title: 'down for 60 s, then well', fault: 'flap', seconds: 30, requests: 20 },
    checks: [
      {
        name: 'served while down',
        holds: ({ calls }) => calls.every(({ at, outcome }) => at >= DOWN_S || outcome === 'success'),
      },
      {
        name: 'used again within 30 s',
        holds: ({ recoveredAt }) => recoveredAt !== undefined && recoveredAt <= DOWN_S + 30,
      },
    ],
  },
  {
    ...{ id: 'S16', title: 'the fallback is named', fault: '503', seconds: 40 },
    checks: [
      {
        name: 'names the fallback',
        holds: ({ calls, fallbackModel }) => calls.every(({ model }) => model === fallbackModel),
      },
      usage,
      attemptsMost(6),
    ],
  },
]

/** The verdict by the catalogue's rules, and why it is no pass. */
export function verdictOf(
  { checks, isRefused }: Scenario,
  seen: Seen,
): { readonly verdict: Verdict; readonly why: string; readonly seconds: number } {
  const { calls } = seen
  const seconds = Math.max(...calls.map(call => call.seconds))
  const broken = checks.filter(({ holds }) => !holds(seen))
  const required = broken.filter(({ isAdvisory }) => !isAdvisory).map(({ name }) => name)
  if (calls.some(({ outcome }) => outcome === 'hang')) return { verdict: 'FAIL', why: 'hang', seconds }
  const isCut = calls.some(({ outcome, text }) => outcome === 'success' && text !== TEXT)
  if (isCut) return { verdict: 'FAIL', why: 'half an answer as a success', seconds }
  if (required.length > 0) return { verdict: 'FAIL', why: required.join(', '), seconds }
  const isServed = calls.every(({ outcome }) => outcome === 'success')
  if (isRefused && isServed) return { verdict: 'partial', why: 'answered all the same', seconds }
  if (!isRefused && !isServed) return { verdict: 'safe', why: 'a clean error', seconds }
  const why = broken.map(({ name }) => name).join(', ')
  return { verdict: why === '' ? 'pass' : 'partial', why, seconds }
}
