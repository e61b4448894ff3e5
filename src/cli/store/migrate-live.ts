import type { StoreSettings } from '../../config/settings.ts'
import { findAdminEndpoint } from '../../operator/connect.ts'
import { loadForStore } from '../../operator/load-files.ts'
import { linesOfPost } from '../../operator/remote.ts'
import { CommandFailed, exitCodes, storeText } from '../../server/failure.ts'
import { isObject } from '../../wire/json-safety.ts'
import { confirm, mayAsk, writeOut } from '../kit/terminal.ts'
import { storeNamed } from './migrate-run.ts'
import type { MigrateOptions } from './store.ts'

/** Has the gateway that runs go over to another store while it serves. */
export async function migrateLive(
  [named, more]: readonly [string, string | undefined],
  { config, replace = false, yes }: MigrateOptions,
): Promise<void> {
  if (more !== undefined)
    throw new CommandFailed('✗ with --live name the one store that the gateway is to go over to', exitCodes.usage)
  if (replace) mayAsk(yes)
  const target = storeNamed(named, loadForStore(config).settings)
  const endpoint = await findAdminEndpoint(config)
  if (replace) await confirm(`All that ${storeText(target)} has is gone then. Go over to it?`, yes)
  const body = { ...bodyOf(target), ...(replace && { replace }) }
  for await (const line of linesOfPost(endpoint, '/admin/store/migrate', body)) {
    if (typeof line.say === 'string') await writeOut([`${line.say}\n`])
    if (typeof line.failed === 'string')
      throw new CommandFailed(`✗ ${line.failed}\n  the gateway goes on with the store that it had`)
    if (isObject(line.moved)) return writeOut([doneText(target, Number(line.moved.rows), Number(line.moved.paused_ms))])
  }
  throw new CommandFailed(
    '✗ the gateway broke off: its log, or its next start, says which store it has',
    exitCodes.unreachable,
  )
}

function doneText(target: StoreSettings, rows: number, pausedMs: number): string {
  const shown = storeText(target)
  return `✓ the gateway has ${shown} now, with ${rows} ledger rows; requests waited ${pausedMs} ms
  set \`store\` to ${shown} in the files: the gateway does not start on the store that it left
`
}

/** The passwords go to the gateway, which keeps them in memory alone. */
function bodyOf(store: StoreSettings): object {
  if (store.kind === 'embedded') return { to: storeText(store) }
  const { url, sentinelPassword, tls } = store
  const secrets = {
    ...(sentinelPassword && { sentinel_password: sentinelPassword.reveal() }),
    ...Object.fromEntries(Object.entries(tls).map(([name, pem]) => [name, pem.reveal()])),
  }
  // The address has the user and the password.
  return { to: url.reveal(), secrets }
}
