import { NOTICE_SCOPES } from '../../policy/limits/notice-rule.ts'
import { MEASURES } from '../../policy/limits/rule.ts'
import { allowedText, amountText } from '../../policy/limits/text.ts'
import { writtenWindow } from '../../policy/limits/zoned-window.ts'
import { nanoUsd } from '../../policy/nano-usd.ts'
import type { EpochMs } from '../../policy/time.ts'
import {
  type AccountFrozen,
  DELIVERY_STATES,
  type IncidentChanged,
  type KeyExpires,
  type LimitReached,
  type Notice,
  type NoticeEvent,
} from '../../records/notice.ts'
import { WINDOW } from '../limit-rule.ts'
import { usdText } from '../money.ts'
import {
  cases,
  fixed,
  flag,
  forms,
  list,
  listing,
  map,
  moment,
  number,
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

const KEY_EXPIRES = record(
  {
    kind: fixed('key-expiry'),
    account: text(),
    label: text('The label of the account.'),
    key: text('The id of the key.'),
    name: orNull(text()),
    prefix: text('The masked key.'),
    expires_at: moment(),
  },
  'KeyExpires',
  'A key that stops working soon.',
)

const ACCOUNT_FROZEN = record(
  {
    kind: fixed('freeze'),
    state: word(['frozen', 'thawed']),
    account: text('The account, or `org:` and the name of an org.'),
    by: text('The operator, or the identity provider.'),
  },
  'AccountFrozen',
  'An account or an org that was frozen, or is served again.',
)

const INCIDENT_CHANGED = record(
  {
    kind: fixed('incident'),
    state: word(['opened', 'resolved'], '`resolved`: no gateway has had it for a minute.'),
    incident: text('The name of its kind, such as `store-down`.'),
    severity: text('`page` or `ticket`.'),
    title: text(),
    subject: map(forms(text(), number(), flag()), 'The affected pool, replica or similar.'),
    opened_at: moment(),
    action: text('The first action of an operator.'),
    runbook: text('The documentation of this kind.'),
  },
  'IncidentChanged',
  'An incident that began, or is over in all gateways.',
)

const EVENT = cases('kind', {
  limit: LIMIT_REACHED,
  'key-expiry': KEY_EXPIRES,
  freeze: ACCOUNT_FROZEN,
  incident: INCIDENT_CHANGED,
  test: TEST,
})

const DELIVERY = record(
  {
    target: text(),
    state: word(DELIVERY_STATES, '`failed`: given up after three days, or after six refusals; `retry` sends it again.'),
    percent: orNull(whole('The highest threshold of the target that was reached; null for other events.')),
    tries: whole(),
    tried_at: orNull(moment()),
    error: orNull(text('Why the last attempt failed.')),
  },
  'NoticeDelivery',
)

/** A notice, with its delivery to each target. */
const NOTICE = record(
  {
    id: text('Identifies the notice, however often it is delivered.'),
    at: moment(),
    text: text('The notice as one line.'),
    event: EVENT,
    deliveries: list(DELIVERY),
  },
  'Notice',
  'A notice, with its delivery to each target.',
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
  switch (event.kind) {
    case 'test':
    case 'freeze':
      return event
    case 'key-expiry': {
      const { expiresAt, name = null, ...key } = event
      return { ...key, name, expires_at: new Date(expiresAt).toISOString() }
    }
    case 'incident': {
      const { openedAt, ...incident } = event
      return { ...incident, opened_at: new Date(openedAt).toISOString() }
    }
    case 'limit':
      return shownLimit(event, percent)
  }
}

function shownLimit({ limit: rule, used, resetAt, percent: highest }: LimitReached, percent = highest): ShownEvent {
  const { measure, most, of, model = null } = rule
  const per = rule.per === undefined ? null : writtenWindow(rule.per)
  const { account = null, org = null, plan = null, key = null, user = null } = rule
  const amount = (number: number) => (measure === 'usd' ? usdText(nanoUsd(number)) : String(number))
  return {
    kind: 'limit',
    percent,
    ...{ measure, per, of, model, account, org, plan, key, user },
    limit: amount(most),
    used: amount(used),
    resets_at: new Date(resetAt).toISOString(),
  }
}

/** One line for people: `acct_1 has reached 80% of its limit of $5 a month (UTC): $4.02 used. It resets at 2026-12-01 00:00 UTC.` */
export function noticeText(event: NoticeEvent, percent?: number): string {
  switch (event.kind) {
    case 'test':
      return `This is a test, sent by ${event.by}. Notices of this gateway arrive here.`
    case 'key-expiry':
      return keyText(event)
    case 'freeze':
      return freezeText(event)
    case 'incident':
      return incidentText(event)
    case 'limit':
      return limitText(event, percent)
  }
}

function limitText(event: LimitReached, percent = event.percent): string {
  const { of: _of, ...rule } = event.limit
  const share = `${percent}% of its limit of ${allowedText(rule)}`
  const used = amountText(rule, event.used)
  return `${ownerText(event)} has reached ${share}: ${used} used. It resets at ${minuteText(event.resetAt)}.`
}

function keyText({ account, label, name, prefix, expiresAt }: KeyExpires): string {
  const named = name === undefined ? prefix : `${name} (${prefix})`
  const owner = label === '' ? account : `${account} (${label})`
  return `Key ${named} of account ${owner} stops working at ${minuteText(expiresAt)}. Mint a replacement before then.`
}

function freezeText({ state, account, by }: AccountFrozen): string {
  const owner = account.startsWith('org:') ? `Org ${account.slice(4)}` : `Account ${account}`
  return `${owner} ${state === 'frozen' ? 'was frozen' : 'is served again'}, by ${by}.`
}

function incidentText({ state, severity, title, subject, openedAt, action, runbook }: IncidentChanged): string {
  const about = [title, ...Object.values(subject)].join(' · ')
  if (state === 'resolved') return `Resolved: ${about}, open since ${minuteText(openedAt)}.`
  return `Incident (${severity}): ${about}, since ${minuteText(openedAt)}. ${action} ${runbook}`
}

const minuteText = (at: EpochMs): string => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`

function ownerText({ limit: { account, org, plan, key, user } }: LimitReached): string {
  if (org !== undefined) return `Org ${org}`
  if (plan !== undefined) return `Plan ${plan}`
  if (account === undefined) return 'The deployment'
  if (key !== undefined) return `Key ${key} of account ${account}`
  return user === undefined ? `Account ${account}` : `User ${user} of account ${account}`
}
