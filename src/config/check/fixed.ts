import { DEFAULTS } from '../defaults.ts'
import type { Address } from '../model/formats.ts'
import { durationText } from '../model/units.ts'
import type { Problem } from '../problem.ts'
import type { ArchiveSettings, Loaded, Settings, StoreSettings } from '../settings.ts'

/**
 * The settings that a running gateway cannot change: its sockets, its store, and those written into the store. Every other field of the
 * files takes effect with the next request.
 */
const FIXED: Readonly<Record<string, (settings: Settings) => Fixed>> = {
  brand: ({ brand }) => same(brand),
  store: ({ store }) => storeOf(store),
  // Another kind of store is a change of `store`.
  'redis.answer_timeout': ({ store }) =>
    same(store.kind === 'redis' ? durationText(store.answerTimeout) : DEFAULTS.redisAnswerTimeout),
  'ledger.archive': ({ ledger }) => archiveOf(ledger.archive),
  'server.listen': ({ server }) => same(addressOf(server.listen)),
  'server.admin': ({ server }) => same(addressOf(server.admin)),
  // Without it the token of the start would be valid again, which a leak may have been the reason to replace.
  'server.admin_token': ({ server }) => ({
    value: String(server.adminToken !== undefined),
    shown: server.adminToken ? 'a token of the files' : 'the token of the process',
  }),
  'server.admin_tls': ({ server }) => ({
    value: String(server.adminTls !== undefined),
    shown: server.adminTls ? 'TLS' : 'no TLS',
  }),
  'server.workers': ({ server }) => same(String(server.workers)),
  'server.instances': ({ server }) => same(String(server.instances)),
  'server.state_dir': ({ server }) => same(server.stateDir),
}

interface Fixed {
  /** The value that is compared. */
  readonly value: string
  /** The part of it that may be shown. */
  readonly shown: string
}

/** The fields that only a restart changes, by their YAML names. */
export const fixedFields: readonly string[] = Object.keys(FIXED)

/** A Problem for each field that another configuration would change and a running gateway cannot. */
export function fixedProblems(running: Settings, { settings, fields, files }: Loaded): readonly Problem[] {
  return Object.entries(FIXED).flatMap(([field, of]): Problem[] => {
    const before = of(running)
    if (before.value === of(settings).value) return []
    // A field that was left out has no place: the Problem is at its section, or at the file.
    const [section = ''] = field.split('.')
    const start = { file: files[0] ?? '', line: 1, column: 1, length: 1 }
    return [
      {
        ...(fields.get(field) ?? fields.get(section) ?? start),
        rule: 'needs-restart',
        severity: 'error',
        message: `\`${field}\` cannot change while the gateway runs`,
        hint: `restart it, or change it back to ${before.shown}`,
      },
    ]
  })
}

const same = (value: string): Fixed => ({ value, shown: value })

function storeOf(store: StoreSettings): Fixed {
  // A reload proves another user, password or certificate, and takes it.
  return same(store.kind === 'embedded' ? `embedded:${store.path}` : store.shown)
}

/** The archive of a gateway: another archive would lack the rows of this one. */
function archiveOf(archive: ArchiveSettings | undefined): Fixed {
  if (!archive) return { value: '', shown: 'none' }
  return same(archiveText(archive) + (archive.kind === 'postgres' ? ` as ${archive.user}` : ''))
}

/** The archive's place, as far as it may be shown. */
export const archiveText = (archive: ArchiveSettings): string =>
  archive.kind === 'postgres' ? archive.shown : archive.kind === 'files' ? `file:${archive.path}` : archive.url

const addressOf = ({ host, port }: Address): string => `${host.includes(':') ? `[${host}]` : host}:${port}`
