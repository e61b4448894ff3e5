import { backupBytes, headerOf } from '../../gateway/backup/write.ts'
import type { HttpCall } from '../listener/call.ts'
import type { OperatorApp } from './operator-app.ts'
import { sendStream } from './stream-answer.ts'

/** Dependencies of backups. */
type BackupApp = Pick<OperatorApp, 'about' | 'backupKey' | 'clock' | 'settings' | 'revisions' | 'store'>

/** GET /admin/backup: all that the store has, as of one moment, with the files that serve, signed; as fast as the client takes it. */
export async function sendBackup(app: BackupApp, _asked: object, call: HttpCall): Promise<void> {
  const { about, clock, settings, revisions, store } = app
  const header = headerOf(about.version, clock.now(), settings, revisions.serving)
  const key = await app.backupKey()
  await sendStream(call, 'application/gzip', backupBytes(header, store.dump(), key))
}
