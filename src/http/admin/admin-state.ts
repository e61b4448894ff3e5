import type { Archiving } from '../../gateway/archive/archiver.ts'
import { invalid } from '../../policy/denial.ts'
import type { ArchiveRecord } from '../../wire/admin/archive-state.ts'
import type { HttpCall } from '../listener/call.ts'
import { readQuery, wholeIn } from '../listener/request-input.ts'
import { UNCACHED } from '../uncached.ts'
import type { KnownOperator } from './admin-operator.ts'
import type { OperatorApp } from './operator-app.ts'

/** Dependencies of the whoami endpoint. */
type WhoAmIApp = Pick<
  OperatorApp,
  'about' | 'config' | 'feed' | 'generation' | 'revisions' | 'settings' | 'storeHealth'
>

/** GET /admin/whoami: who the operator is, and what answers. */
export async function showWhoAmI(
  app: WhoAmIApp,
  call: HttpCall,
  _by: string,
  _id: string,
  operator: KnownOperator,
): Promise<void> {
  const { about, settings, config, revisions, generation, feed } = app
  const isWritable = await app.storeHealth.isWritable()
  const record = {
    by: operator.by,
    via: operator.via,
    role: operator.role,
    version: about.version,
    gateway: about.gateway,
    revision: config.revision,
    number: revisions.serving.number,
    generation,
    store: settings.store.kind,
    store_state: isWritable ? 'ok' : 'unavailable',
    decisions: settings.decisions.log,
    identity: settings.identity !== undefined,
    started_at: new Date(about.startedAt).toISOString(),
    feed_readers: feed.readers,
  }
  call.json(200, record, UNCACHED)
}

/** GET /admin/alarms: the newest alarms of this process, newest first. Those that say the same within a minute are one. */
export async function listAlarms({ alarms }: Pick<OperatorApp, 'alarms'>, call: HttpCall): Promise<void> {
  const query = readQuery(call, ['limit'])
  if ('denial' in query) return call.deny(query.denial)
  const limit = wholeIn(query.limit ?? '200', MOST_ALARMS)
  if (limit === undefined) return call.deny(invalid('limit', `must be a number from 1 to ${MOST_ALARMS}`).denial)
  const data = alarms.newest(limit).map(({ at, ...alarm }) => ({ at: new Date(at).toISOString(), ...alarm }))
  const since = new Date(alarms.since).toISOString()
  call.json(200, { object: 'list', since, total: alarms.total, data }, UNCACHED)
}

/** GET /admin/archive: how far rows of the ledger came on their way into the archive. */
export async function showArchive({ archiving }: Pick<OperatorApp, 'archiving'>, call: HttpCall): Promise<void> {
  call.json(200, recordOf(archiving()), UNCACHED)
}

function recordOf(state: Archiving | undefined): ArchiveRecord {
  const { oldest } = state?.waiting ?? {}
  return {
    to: state?.to ?? null,
    read_back: state?.isReadBack ?? false,
    here: state?.isHere ?? false,
    archived_rows: state?.archived ?? 0,
    failures: state?.failures ?? 0,
    last_error: state?.lastError ?? null,
    waiting_rows: state?.waiting.rows ?? 0,
    oldest_at: oldest === undefined ? null : new Date(oldest).toISOString(),
    lag_seconds: (state?.lagMs ?? 0) / 1000,
  }
}

const MOST_ALARMS = 500
