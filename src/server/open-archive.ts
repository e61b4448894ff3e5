import { lockDirectory } from '../adapters/embedded/store-directory.ts'
import { type ArchiveSettings, Secret, type Settings } from '../config/settings.ts'
import type { Archive } from '../gateway/archive/archive.ts'
import type { Millis } from '../policy/config.ts'

/**
 * The archive of the files. `now` are those that hold at this moment, whose secrets may be others. Imported late: a gateway
 * without an archive loads no driver.
 */
export async function openArchive(
  settings: ArchiveSettings,
  brand: string,
  now: () => ArchiveSettings | undefined,
): Promise<Archive> {
  if (settings.kind === 'postgres') {
    const { PostgresArchive } = await import('../adapters/archives/postgres/archive.ts')
    return new PostgresArchive({ ...settings, secrets: () => secretsOf(now() ?? settings) }, brand)
  }
  if (settings.kind === 'files') {
    const { FileArchive } = await import('../adapters/archives/file-archive.ts')
    return new FileArchive(settings.path, lockDirectory)
  }
  const { EndpointArchive } = await import('../adapters/archives/endpoint-archive.ts')
  return new EndpointArchive(settings.url, () => secretsOf(now() ?? settings).token)
}

/** Revealed, by field. */
const secretsOf = (settings: ArchiveSettings): Readonly<Partial<Record<string, string>>> =>
  Object.fromEntries(
    Object.entries(settings).flatMap(([field, value]) => (value instanceof Secret ? [[field, value.reveal()]] : [])),
  )

/**
 * How long a row is in the store for sure: a settlement that waited longer cannot be compared with what was charged before. An
 * hour less than it stays, for what is on its way.
 */
export const storedFor = ({ keep, archive }: Settings['ledger']): Millis => (archive ? archive.keep - HOUR_MS : keep)

const HOUR_MS: Millis = 3_600_000
