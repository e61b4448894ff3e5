import type { AdmissionDenied } from '../../gateway/store/hold-store.ts'
import type { Millis } from '../../policy/config.ts'
import { heldBy, isHeld, refusedBy } from '../../policy/counters/refusal.ts'
import type { Claims, Mutable, Refuse } from '../../policy/decision.ts'
import { type StoredTerms, storedTerms, type Terms, termsOfStored } from '../../policy/facts.ts'
import {
  CALENDAR_RULES,
  type CountName,
  mostOf,
  NAMED_RULES,
  namedRule,
  quotaOf,
} from '../../policy/limits/named-rules.ts'
import { type Readings, readingsOfNumbers } from '../../policy/limits/readings.ts'
import { type NanoUsd, nanoUsd } from '../../policy/nano-usd.ts'
import { type Judged, judgedCells, judgedRules } from '../../policy/record.ts'
import { termsTextOf } from '../../records/terms.ts'
import type { Reply } from './client.ts'
import { readMinute } from './counter-texts.ts'
import { readRuleReadings, readUses } from './rule-texts.ts'

export const readReadings = (text: string): Readings => readingsOfNumbers(numbersOf(text).map(whole))

/**
 * Reads `refused readings now minute rules kind numbers…`; the last of the readings is the newest second of the minute, and
 * of rules there are all cells where a wait depends on them.
 */
export function readRefusal(
  [, read = '', now, minute = '', rules = '', kind = '', ...rest]: Reply,
  claims: Claims,
): AdmissionDenied {
  const readings = readReadings(read)
  const at = whole(Number(now))
  const denial = denialOf(kind, rest.map(Number), claims)
  const judged: Mutable<Judged> = { at, readings }
  if (minute !== '') judged.minute = readMinute(minute)
  if (rules !== '' && claims.rules)
    judged.rules =
      denial.code === 'rate_limit_exceeded' && !isHeld(denial)
        ? judgedCells(claims, readRuleReadings(rules, claims.rules))
        : judgedRules(claims, readUses(rules))
  return { denial, readings, judged, newest: whole(numbersOf(read).at(-1)) }
}

/** Reads `guests-spent readings now wait taken rules`. */
export function readGuestsSpent(
  [, readings = '', now, wait, taken, rules = '']: Reply,
  limit: NanoUsd,
  claims: Claims,
): { readonly retryAfterMs: Millis; readonly judged: Judged } {
  const shared = { limit, taken: nanoUsd(whole(Number(taken))) }
  const judged: Mutable<Judged> = { at: whole(Number(now)), readings: readReadings(readings), shared }
  if (rules !== '') judged.rules = judgedRules(claims, readUses(rules))
  return { retryAfterMs: whole(Number(wait)), judged }
}

function denialOf(kind: string, numbers: readonly number[], claims: Claims): Refuse['denial'] {
  const { limits, spend } = claims
  if (kind === 'quota') {
    const [worst, left, fits] = numbers
    const { window, overageEnabled } = spend
    return {
      code: 'quota_exceeded',
      resetAt: window.end,
      ...(window.per && { per: window.per }),
      overageEnabled,
      worst: nanoUsd(whole(worst)),
      left: nanoUsd(whole(left)),
      fits: whole(fits),
    }
  }
  const [wait, place = 0] = numbers
  if (kind === 'rule' || kind === 'rule-held') {
    const rule = claims.rules?.[place - 1]?.rule
    if (!rule) throw new Error(`the admission script refuses by rule ${place}, which is not claimed`)
    return kind === 'rule' ? refusedBy(rule, whole(wait)) : heldBy(rule)
  }
  const row = kind === 'calendar' ? CALENDAR_RULES[place - 1] : NAMED_RULES.find(({ type }) => type === kind)
  if (!row) throw new Error(`the admission script refuses by ${kind}, which is no limit`)
  const rule =
    row.name === 'monthly_usd'
      ? quotaOf(whole(spend.limit), spend.window.per)
      : namedRule(row.name, whole(mostOf(limits, row.name)))
  return wait === undefined ? heldBy(rule) : refusedBy(rule, whole(wait))
}

/**
 * Claims as scripts read them; `-` stands for a limit that is not claimed. At the end each calendar window has its seconds
 * and its limit, in the order in which their counters are stored.
 */
export function claimsText({ limits, input, spend, output }: Claims): string {
  const { limit, price, items } = spend
  const most = (name: CountName) => orDash(mostOf(limits, name))
  const rate = `${most('rpm')} ${most('tpm')} ${input} ${most('max_concurrent')}`
  const cost = `${limit ?? '-'} ${price.input} ${price.output} ${price.item ?? 0} ${items}`
  let calendar = ''
  for (const { name, seconds } of CALENDAR_RULES) calendar += ` ${seconds} ${most(name)}`
  return `${rate} ${cost} ${output.want} ${output.min} ${output.choices}${calendar}`
}

const orDash = (most: number): number | '-' => (most === Number.POSITIVE_INFINITY ? '-' : most)

const numbersOf = (text: string): number[] => text.split(' ').map(Number)

function whole(number: number | undefined): number {
  if (number === undefined || Number.isNaN(number)) throw new Error('a script answered without a number')
  return number
}

export const readTerms = (text: string): Terms => termsOfStored(JSON.parse(text) as StoredTerms)

/** The text of terms; the same for equal terms with any order of members. */
export const termsText = (terms: Terms): string => termsTextOf(storedTerms(terms))
