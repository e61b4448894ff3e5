import type { CanaryRules } from '../config.ts'
import { shareText, WHOLE } from './share.ts'

/** A request as it ended at one pool. */
export interface PoolOutcome {
  readonly isError: boolean
  /** How long its stream waited for the first token, in milliseconds. Absent where it was no stream, or got none. */
  readonly firstTokenMs?: number
}

/** Samples that came one after the other, with how many of them have each mark. */
interface Chunk {
  readonly count: number
  readonly marks: Readonly<Record<string, number>>
}

/** The newest samples: as many as the judgement looks at, and a twentieth fewer just after the oldest ones left. */
interface NewestSamples {
  /** All since the comparison began. */
  readonly seen: number
  /** Oldest first. */
  readonly chunks: readonly Chunk[]
}

/** The newest requests of a model at one pool. */
export interface SideCounts {
  readonly requests: NewestSamples
  readonly firstTokens: NewestSamples
}

/** A canary beside the pool that it is compared with. Counts begin anew where the comparison is another one. */
export interface CanaryCounts {
  readonly against: string
  readonly after: number
  readonly canary: SideCounts
  readonly control: SideCounts
}

export type Side = 'canary' | 'control'

/** The figures of one side. */
export interface SideFigures {
  readonly requests: number
  readonly errors: number
  /** Absent without first tokens. */
  readonly firstTokenP95Ms?: number
}

/** Why a canary is stopped, as `stop_when` calls it. */
export type StopReason = 'errors_over' | 'first_token_p95_over'

const NOTHING: NewestSamples = { seen: 0, chunks: [] }
const NO_COUNTS: SideCounts = { requests: NOTHING, firstTokens: NOTHING }
/** Parts of the samples that leave at once. */
const CHUNKS = 20
const ERROR = 'error'
/** First tokens are counted in steps of 5 %. */
const STEP = Math.log(1.05)

/** The counts of a comparison that begins. */
export const noCounts = ({ against, after }: Pick<CanaryRules, 'against' | 'after'>): CanaryCounts => ({
  against,
  after,
  canary: NO_COUNTS,
  control: NO_COUNTS,
})

/** Whether counts are of the comparison that the rules ask for. */
export const isOf = ({ against, after }: CanaryCounts, rules: CanaryRules): boolean =>
  against === rules.against && after === rules.after

/** Counts with one more request on one side. */
export function withOutcome(counts: CanaryCounts, side: Side, { isError, firstTokenMs }: PoolOutcome): CanaryCounts {
  const { requests, firstTokens } = counts[side]
  const { after } = counts
  const added: SideCounts = {
    requests: withSample(requests, isError ? ERROR : undefined, after),
    firstTokens: firstTokenMs === undefined ? firstTokens : withSample(firstTokens, stepOf(firstTokenMs), after),
  }
  return side === 'canary' ? { ...counts, canary: added } : { ...counts, control: added }
}

const stepOf = (millis: number): string => String(millis <= 1 ? 0 : Math.ceil(Math.log(millis) / STEP))

function withSample({ seen, chunks }: NewestSamples, mark: string | undefined, most: number): NewestSamples {
  const last = chunks.at(-1)
  const isFull = !last || last.count >= Math.max(1, Math.ceil(most / CHUNKS))
  const { count, marks }: Chunk = isFull ? { count: 0, marks: {} } : last
  const grown = { count: count + 1, marks: mark === undefined ? marks : { ...marks, [mark]: (marks[mark] ?? 0) + 1 } }
  const all = [...(isFull ? chunks : chunks.slice(0, -1)), grown]
  let total = all.reduce((sum, each) => sum + each.count, 0)
  let from = 0
  for (const each of all) {
    if (total <= most) break
    total -= each.count
    from++
  }
  return { seen: seen + 1, chunks: all.slice(from) }
}

/** The figures of one side, over its newest requests. */
export function figuresOf({ requests, firstTokens }: SideCounts): SideFigures {
  const p95 = quantile(firstTokens, 0.95)
  return {
    requests: countIn(requests),
    errors: marksIn(requests).get(ERROR) ?? 0,
    ...(p95 !== undefined && { firstTokenP95Ms: p95 }),
  }
}

const countIn = ({ chunks }: NewestSamples): number => chunks.reduce((sum, { count }) => sum + count, 0)

function marksIn({ chunks }: NewestSamples): ReadonlyMap<string, number> {
  const sums = new Map<string, number>()
  for (const { marks } of chunks)
    for (const [mark, count] of Object.entries(marks)) sums.set(mark, (sums.get(mark) ?? 0) + count)
  return sums
}

/** The upper end of the step that has the quantile, in milliseconds. */
function quantile(samples: NewestSamples, part: number): number | undefined {
  const steps = [...marksIn(samples)].map(([step, count]) => [Number(step), count] as const).sort(([a], [b]) => a - b)
  let left = Math.ceil(countIn(samples) * part)
  for (const [step, count] of steps) {
    left -= count
    if (left <= 0) return Math.round(Math.exp(step * STEP))
  }
  return undefined
}

/**
 * Judges a canary: the first rule that it breaks, or undefined. A rule holds once each side has had `after` requests, or
 * first tokens; then it looks at the newest `after` of each.
 */
export function judgeCanary(rules: CanaryRules, counts: CanaryCounts): StopReason | undefined {
  const { errorsOver, firstTokenP95Over, after } = rules
  const [canary, control] = [figuresOf(counts.canary), figuresOf(counts.control)]
  const both = (samples: keyof SideCounts) =>
    counts.canary[samples].seen >= after && counts.control[samples].seen >= after
  if (errorsOver !== undefined && both('requests')) {
    // In whole numbers: the difference of two fractions, times both of their denominators.
    const more = canary.errors * control.requests - control.errors * canary.requests
    if (more * WHOLE > errorsOver * canary.requests * control.requests) return 'errors_over'
  }
  if (firstTokenP95Over === undefined || !both('firstTokens')) return undefined
  const [slow, usual] = [canary.firstTokenP95Ms ?? 0, control.firstTokenP95Ms ?? 0]
  return slow * WHOLE > usual * firstTokenP95Over ? 'first_token_p95_over' : undefined
}

/** `12 of 200 requests failed (6%), p95 of the first token 340 ms` */
export function figuresText({ requests, errors, firstTokenP95Ms }: SideFigures): string {
  const share = requests === 0 ? '' : ` (${Math.round((errors / requests) * 1000) / 10}%)`
  const first = firstTokenP95Ms === undefined ? '' : `, p95 of the first token ${firstTokenP95Ms} ms`
  return `${errors} of ${requests} requests failed${share}${first}`
}

/** `errors 2% over onprem, or p95 of the first token over 1.5x that of onprem, after 200 requests` */
export function rulesText({ errorsOver, firstTokenP95Over, against, after }: CanaryRules): string {
  const rules = [
    ...(errorsOver === undefined ? [] : [`errors more than ${shareText(errorsOver)} over those of ${against}`]),
    ...(firstTokenP95Over === undefined
      ? []
      : [`p95 of the first token more than ${factorText(firstTokenP95Over)} that of ${against}`]),
  ]
  return `${rules.join(', or ')}, after ${after} requests on each side`
}

/** `1.5x` */
export const factorText = (millionths: number): string => `${millionths / WHOLE}x`
