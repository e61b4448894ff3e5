import { findAdminEndpoint } from '../../operator/connect.ts'
import { noticesOf, retryNotices, testTarget } from '../../operator/gateway-calls.ts'
import { counted } from '../../policy/counted.ts'
import { CommandFailed, exitCodes } from '../../server/failure.ts'
import { withoutFraction } from '../../server/log/terminal-text.ts'
import type { ShownNotice } from '../../wire/admin/notice.ts'
import { oneLine } from '../../wire/printable.ts'
import { forPrograms } from '../kit/formats.ts'
import type { Changing } from '../kit/options.ts'
import { type Column, tableText } from '../kit/table.ts'
import { writeOut } from '../kit/terminal.ts'
import type { ListOptions, RetryOptions } from './notices.ts'

/** Lists notices of a running gateway, newest first. */
export async function list(options: ListOptions): Promise<void> {
  const { state, limit } = options
  const endpoint = await findAdminEndpoint(options.config)
  const { object, data, ...rest } = await noticesOf(endpoint, { state, limit })
  const written = forPrograms(options, { object, data }, rest)
  if (written !== undefined) await writeOut([written])
  else await writeOut([`${data.length === 0 ? NONE : noticesText(data)}\n`])
  if (rest.next !== null && limit === undefined) console.error('▲ there are more: give a --limit')
}

/** Notices as people read them: a line for each delivery. */
export function noticesText(notices: readonly ShownNotice[], width?: number): string {
  const rows = notices.flatMap(({ id, at, text, deliveries }) =>
    (deliveries.length > 0 ? deliveries : [NOBODY]).map(({ target, state, tries, error }) => [
      ...[id, withoutFraction(at), target, state, tries === null ? '-' : String(tries)],
      oneLine(error === null ? text : `${text} (${error})`),
    ]),
  )
  return tableText(COLUMNS, rows, width)
}

/** Notices whose targets are gone from the files have no delivery. */
const NOBODY = { target: '-', state: '-', tries: null, error: null }

const NONE = 'No notices yet.'

const COLUMNS: readonly Column[] = [
  { title: 'NOTICE', least: 12, gives: 1 },
  { title: 'AT', gives: 3 },
  { title: 'TARGET', least: 6 },
  { title: 'STATE' },
  { title: 'TRIES', number: true, gives: 4 },
  { title: 'TEXT', least: 20 },
]

/** Sends a test. Rejects with CommandFailed where it does not arrive. */
export async function test(target: string, { config }: Pick<Changing, 'config'>): Promise<void> {
  const { delivered, error } = await testTarget(await findAdminEndpoint(config), target)
  if (!delivered) throw new CommandFailed(`✗ ${target} did not accept the test: ${error}`, exitCodes.bad)
  await writeOut([`${target} accepted the test.\n`])
}

/** Has notices sent again. Rejects with CommandFailed where it is not said which. */
export async function retry(id: string | undefined, { config, all, target }: RetryOptions): Promise<void> {
  if ((id === undefined) === (all !== true))
    throw new CommandFailed('✗ name a notice, or give --all: svcctl notices list shows them', exitCodes.usage)
  const { retried } = await retryNotices(await findAdminEndpoint(config), { id, target })
  const text =
    retried === 0 ? 'Nothing to send: every delivery arrived.' : `Sending ${counted(retried, 'notice')} again.`
  await writeOut([`${text}\n`])
}
