import { archiveText } from '../../config/check/fixed.ts'
import { durationText } from '../../config/model/units.ts'
import { type ArchiveSettings, type Loaded, Secret } from '../../config/settings.ts'
import { hasStandIn } from '../../config/stand-ins.ts'
import type { Finding } from '../../gateway/doctor/finding.ts'
import type { Millis } from '../../policy/config.ts'
import { openArchive } from '../../server/open-archive.ts'
import { within } from '../../server/world.ts'

/** Whether rows could go to the archive of the files, and what the gateway would do there at first; nothing where there is none. */
export async function checkArchive({ settings, fields }: Loaded, limit: Millis): Promise<readonly Finding[]> {
  const { archive: named } = settings.ledger
  if (!named || Object.values(named).some(isUnknown)) return []
  const common = { check: 'archive', subject: archiveText(named) }
  const archive = await openArchive(named, settings.brand, () => named)
  try {
    let state: Awaited<ReturnType<typeof archive.check>> | undefined
    const look = archive.check().then(found => {
      state = found
    })
    if (!(await within(limit, look)) || !state)
      throw new Error(`${archive.shown} does not answer within ${limit / 1000} s`)
    const { about, plan } = state
    const text = `${archive.shown}: ${about}, rows go there after ${durationText(named.keep)}`
    return [{ ...common, state: 'ok', text: plan === undefined ? text : `${text}; the gateway ${plan}` }]
  } catch (error) {
    const field = fields.get('ledger.archive')
    const place = field ? ` It is named in ${field.file}:${field.line}.` : ''
    const hint = `Rows stay in the store until it does, for at most ${durationText(settings.ledger.keep)}.${place}`
    const text = error instanceof Error ? error.message : String(error)
    return [{ ...common, state: 'warning', text: `takes no rows: ${text}`, hint: `${hint}${adviceOf(named, text)}` }]
  } finally {
    await within(limit, archive.close()).catch(() => false)
  }
}

const isUnknown = (value: unknown): boolean =>
  value instanceof Secret ? hasStandIn(value.reveal()) : typeof value === 'string' && hasStandIn(value)

const adviceOf = ({ kind }: ArchiveSettings, text: string): string =>
  kind === 'postgres' && text.includes('permission denied')
    ? ' Its table can be made by its owner: svcctl archive schema'
    : ''
