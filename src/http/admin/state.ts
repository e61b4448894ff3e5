import type { Archiving } from '../../gateway/archive/archiver.ts'
import type { ArchiveRecord } from '../../wire/admin/archive-state.ts'
import type { AnswerOf } from '../../wire/admin-api/call.ts'
import type { showWhoAmI as showWhoAmICall } from '../../wire/admin-api/config.ts'
import type { listAlarms as listAlarmsCall } from '../../wire/admin-api/fleet.ts'
import type { Asked } from './declared.ts'
import type { OperatorApp } from './operator-app.ts'

/** Dependencies of the whoami endpoint. */
type WhoAmIApp = Pick<
  OperatorApp,
  'about' | 'config' | 'feed' | 'generation' | 'revisions' | 'settings' | 'storeHealth'
>

/** GET /admin/whoami: who the operator is, and what answers. */
export async function showWhoAmI(
  app: WhoAmIApp,
  { operator }: Asked<typeof showWhoAmICall>,
): Promise<AnswerOf<typeof showWhoAmICall>> {
  const { about, settings, config, revisions, generation, feed } = app
  const isWritable = await app.storeHealth.isWritable()
  return {
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
}

/** GET /admin/alarms: the newest alarms of this process, newest first. Those that say the same within a minute are one. */
export function listAlarms(
  { alarms }: Pick<OperatorApp, 'alarms'>,
  { query: { limit } }: Asked<typeof listAlarmsCall>,
): AnswerOf<typeof listAlarmsCall> {
  const data = alarms.newest(limit).map(({ at, ...alarm }) => ({ at: new Date(at).toISOString(), ...alarm }))
  return { object: 'list', since: new Date(alarms.since).toISOString(), total: alarms.total, data }
}

/** GET /admin/archive: how far rows of the ledger came on their way into the archive. */
export const showArchive = ({ archiving }: Pick<OperatorApp, 'archiving'>): ArchiveRecord => recordOf(archiving())

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
