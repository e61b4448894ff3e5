import { MEASURES } from '../../policy/limits/limit-rule.ts'
import { allowedText, amountText } from '../../policy/limits/limit-text.ts'
import { NOTICE_SCOPES } from '../../policy/limits/notice-rule.ts'
import { writtenWindow } from '../../policy/limits/zoned-window.ts'
import { nanoUsd } from '../../policy/nano-usd.ts'
import { DELIVERY_STATES, type LimitReached, type Notice, type NoticeEvent } from '../../records/notice.ts'
import { WINDOW } from '../limit-rule.ts'
import { usdText } from '../money.ts'
import {
  cases,
  fixed,
  list,
  listing,
  moment,
  orNull,
  record,
  type TypeOf,
  text,
  whole,
  word,
} from '../schema/schema.ts'

/** A limit that was used up to a threshold. Amounts of `usd` are exact decimals in US dollars. */
const LIMIT_REACHED = record(
  {
    kind: fixed('limit'),
    percent: whole('The highest threshold that was reached.'),
    measure: word(MEASURES),
    per: orNull(WINDOW),
    of: word(NOTICE_SCOPES, 'Who shares the limit.'),
    model: orNull(text()),
    account: orNull(text('The account; null if several accounts share the limit.')),
    org: orNull(text()),
    plan: orNull(text()),
    key: orNull(text('The key that the limit belongs to.')),
    user: orNull(text('A digest of the end user that the limit belongs to.')),
    limit: text(),
    used: text('Settled use, without what running requests reserve.'),
    resets_at: moment('When the window ends.'),
  },
  'LimitReached',
  'A limit that was used up to a threshold. Amounts of `usd` are exact decimals in US dollars.',
)

const TEST = record({ kind: fixed('test'), by: text('The operator who sent it.') }, 'TestNotice', 'A test of a target.')

const EVENT = cases('kind', { limit: LIMIT_REACHED, test: TEST })

const DELIVERY = record(
  {
    target: text(),
    state: word(DELIVERY_STATES, '`failed`: given up after three days; `retry` sends it again.'),
    percent: orNull(whole('The highest threshold of the target that was reached; null for other events.')),
    tries: whole(),
    tried_at: orNull(moment()),
    error: orNull(text('Why the last attempt failed.')),
  },
  'NoticeDelivery',
)

/** A notice, and how far it came with each target. */
const NOTICE = record(
  {
    id: text('Identifies the notice, however often it is delivered.'),
    at: moment(),
    text: text('The notice as one line.'),
    event: EVENT,
    deliveries: list(DELIVERY),
  },
  'Notice',
  'A notice, and how far it came with each target.',
)

/** Newest first. */
export const NOTICES = listing(NOTICE, {
  next: orNull(text('The `before` of the next page; null on the last one.')),
  waiting: whole('Notices that wait for a target, of all pages.'),
})

export interface ShownNotice extends TypeOf<typeof NOTICE> {}
export interface ShownNotices extends TypeOf<typeof NOTICES> {}
export type ShownEvent = TypeOf<typeof EVENT>

export const shownNotice = ({ id, at, event, deliveries }: Notice): ShownNotice => ({
  id,
  at: new Date(at).toISOString(),
  text: noticeText(event),
  event: shownEvent(event),
  deliveries: deliveries.map(({ target, state, percent = null, tries, triedAt, error = null }) => ({
    ...{ target, state, percent, tries, error },
    tried_at: triedAt === undefined ? null : new Date(triedAt).toISOString(),
  })),
})

/** The event, as the admin API and webhooks have it; `percent` is that of the receiver. */
export function shownEvent(event: NoticeEvent, percent?: number): ShownEvent {
  if (event.kind === 'test') return event
  const { limit: rule, used, resetAt } = event
  const { measure, most, of, model = null } = rule
  const per = rule.per === undefined ? null : writtenWindow(rule.per)
  const { account = null, org = null, plan = null, key = null, user = null } = rule
  const amount = (number: number) => (measure === 'usd' ? usdText(nanoUsd(number)) : String(number))
  return {
    kind: 'limit',
    percent: percent ?? event.percent,
    ...{ measure, per, of, model, account, org, plan, key, user },
    limit: amount(most),
    used: amount(used),
    resets_at: new Date(resetAt).toISOString(),
  }
}

/** One line for people: `acct_1 has reached 80% of its limit of $5 a month (UTC): $4.02 used. It resets at 2026-12-01 00:00 UTC.` */
export function noticeText(event: NoticeEvent, percent?: number): string {
  if (event.kind === 'test') return `This is a test, sent by ${event.by}. Notices of this gateway arrive here.`
  const { limit, used, resetAt } = event
  const { of: _of, ...rule } = limit
  const at = new Date(resetAt).toISOString().slice(0, 16).replace('T', ' ')
  const share = `${percent ?? event.percent}% of its limit of ${allowedText(rule)}`
  return `${ownerText(event)} has reached ${share}: ${amountText(rule, used)} used. It resets at ${at} UTC.`
}

function ownerText({ limit: { account, org, plan, key, user } }: LimitReached): string {
  if (org !== undefined) return `Org ${org}`
  if (plan !== undefined) return `Plan ${plan}`
  if (account === undefined) return 'The deployment'
  if (key !== undefined) return `Key ${key} of account ${account}`
  return user === undefined ? `Account ${account}` : `User ${user} of account ${account}`
}
