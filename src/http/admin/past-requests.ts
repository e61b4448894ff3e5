import { idAt } from '../../gateway/accounts/keys.ts'
import { searchRequests } from '../../gateway/accounts/past-requests.ts'
import type { Remembered } from '../../gateway/recent-requests.ts'
import type { PastQuery } from '../../gateway/store/ledger-store.ts'
import type { EpochMs } from '../../policy/config.ts'
import { type Denied, invalid } from '../../policy/denial.ts'
import type { PastRequests } from '../../wire/admin/past-request.ts'
import { readDuration } from '../../wire/admin/since.ts'
import type { PastRequestsQuery } from '../../wire/admin-api/requests.ts'
import { type AdminContext, ownerIn } from './op.ts'
import { periodIn } from './period.ts'

type PastLedger = Parameters<typeof searchRequests>[0]['ledger']

/** For those that ask what this process alone knows: rows are found by each gateway. */
export const NO_ROWS: PastLedger = { readPast: async () => ({ requests: [] }) }

type PastContext = Pick<AdminContext, 'store' | 'settings' | 'clock' | 'config'> & { readonly recent?: Remembered }

/** Finds requests in what this process remembers, where it is a gateway, and in the ledger. */
export async function readPast(
  context: PastContext,
  texts: PastRequestsQuery,
  ledger: PastLedger = context.store.ledger,
): Promise<PastRequests | Denied> {
  const query = await queryOf(context, texts)
  if ('denial' in query) return query
  const { store, recent, settings, clock } = context
  const found = await searchRequests({ ledger, accounts: store.accounts, ...(recent && { recent }) }, query)
  const not_read = notRead(settings, query, clock.now())
  return not_read === undefined ? found : { ...found, not_read }
}

/** The archive that rows may have left for, where none reads them there; without its query, which may have a secret. */
function notRead(
  { ledger: { archive } }: Pick<PastContext['settings'], 'ledger'>,
  { since }: PastQuery,
  now: EpochMs,
): string | undefined {
  if (archive?.kind !== 'https' || since >= now - archive.keep) return undefined
  const { origin, pathname } = new URL(archive.url)
  return `${origin}${pathname}`
}

async function queryOf(context: PastContext, texts: PastRequestsQuery): Promise<PastQuery | Denied> {
  const { model, pool, before, errors, kind, limit = 100, slow: slowText = '0s' } = texts
  const period = periodIn(texts, context.clock.now(), context.config.calendar)
  if ('denial' in period) return period
  if (limit > MOST) return invalid('limit', `must be a number from 1 to ${MOST}`)
  const slow = readDuration(slowText)
  if (slow === undefined) return invalid('slow', 'must be a duration such as 5s or 250ms')
  const label = labelIn(texts.label)
  if (label && 'denial' in label) return label
  const owner = await ownerIn(context, texts)
  if ('denial' in owner) return owner
  const { since = 0, until } = period
  const end = until === undefined ? before : earlier(before, idBehind(until))
  return {
    ...owner,
    ...(model !== undefined && { model }),
    ...(pool !== undefined && { pool }),
    ...(label && { label }),
    ...(slow > 0 && { slow }),
    ...(errors === 'true' && { failed: true }),
    ...(kind === 'mirror' && { copied: true }),
    since,
    ...(until !== undefined && { until }),
    ...(end !== undefined && { before: end }),
    limit,
  }
}

/** The value of a label that is asked for: `project=web`. */
function labelIn(text: string | undefined): PastQuery['label'] | Denied {
  if (text === undefined) return undefined
  const [, name, value = ''] = /^([^=]+)=(.+)$/.exec(text) ?? []
  return name === undefined ? invalid('label', 'must be a label and a value, such as project=web') : { name, value }
}

/** Behind the id of every request that was admitted before a moment: ids are made before that. */
const idBehind = (until: EpochMs): string => idAt(until + 1)

const earlier = (a: string | undefined, b: string): string => (a !== undefined && a < b ? a : b)

/** The most requests of one page. */
const MOST = 1000
