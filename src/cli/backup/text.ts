import type { CheckedBackup } from '../../gateway/backup/check.ts'
import type { Signed } from '../../gateway/backup/read.ts'
import type { WrongSums } from '../../gateway/backup/sums.ts'
import type { RecordKind } from '../../gateway/store/record.ts'
import { oneLine } from '../../wire/printable.ts'
import { type Column, tableText } from '../kit/table.ts'

/** The contents of a backup, and whether its sums match its rows. */
export function backupText(file: string, { header, bytes, signed, counts, wrong }: CheckedBackup): string {
  const { gateway, began, store, config } = header
  const about = [
    `${file}: ${sizeText(bytes)}, of ${new Date(began).toISOString().slice(0, 19)}Z`,
    `gateway ${gateway}, ${store === 'redis' ? 'Redis' : 'embedded store'}, revision ${config.revision}`,
  ].map(oneLine)
  const sums = wrong.length === 0 ? [RIGHT] : wrongLines(wrong)
  const rows = SHOWN.map(([kind, name]) => [name, String(counts[kind] ?? 0)])
  return [...about, '', tableText(COLUMNS, rows), '', signedText(signed), ...sums, ''].join('\n')
}

function signedText({ by, key = '' }: Signed): string {
  switch (by) {
    case 'trusted':
      return `✓ signed with the key ${key}`
    case 'other':
      return `▲ signed with the key ${key}, which was not checked: --key FILE names it`
    case 'nobody':
      return '▲ not signed: anyone with write access to the file could have changed it'
    case 'wrong':
      return '✗ its signature does not match: the file was changed'
  }
}

/** The contents of a backup for programs. */
export const backupJson = (file: string, { header, bytes, signed, counts, wrong }: CheckedBackup): object => ({
  ...{ file, bytes, form: header.svc_backup, gateway: header.gateway, store: header.store },
  began: new Date(header.began).toISOString(),
  revision: header.config.revision,
  signed_by: signed,
  records: counts,
  wrong_sums: wrong.map(({ of, day, whose }) => ({
    ...{ of, day: dayText(day) },
    [of === 'waste' ? 'pool' : 'account']: whose,
  })),
})

/** One line per day whose sums differ from its rows, followed by the owners of those sums. */
function wrongLines(wrong: readonly WrongSums[]): readonly string[] {
  const byDay = new Map<string, string[]>()
  for (const { of, day, whose = '' } of wrong) {
    const line = `✗ ${dayText(day)}: ${WRONG[of]}`
    byDay.set(line, [...(byDay.get(line) ?? []), whose])
  }
  return [...byDay].flatMap(([line, names]) => {
    const more = names.length - MOST_NAMES
    const shown = names.slice(0, more > 0 ? MOST_NAMES : undefined).map(name => `    ${oneLine(name)}`)
    return [line, ...shown, ...(more > 0 ? [`    and ${more} more: --json lists all`] : [])]
  })
}

/** The most names listed under a day. */
const MOST_NAMES = 10

const WRONG: Readonly<Record<WrongSums['of'], string>> = {
  total: 'the sums of usage differ from the rows',
  tools: 'the sums of hosted tool calls differ from the rows',
  waste: 'the sums of failed attempts differ from the rows',
  spend: 'the spend of accounts in this window differs from their usage',
}

const RIGHT = '✓ every byte is as it was written, and the sums match the rows'

const SHOWN: readonly (readonly [RecordKind, string])[] = [
  ['account', 'accounts'],
  ['key', 'keys'],
  ['org', 'orgs'],
  ['row', 'ledger rows'],
  ['total', 'sums of days'],
  ['audit', 'audit rows'],
  ['hold', 'running requests'],
  ['response', 'kept responses'],
  ['invoice', 'issued invoices'],
]

const COLUMNS: readonly Column[] = [{ title: 'RECORDS' }, { title: 'COUNT', number: true }]

const dayText = (day: number): string => new Date(day * 86_400_000).toISOString().slice(0, 10)

const sizeText = (bytes: number): string =>
  bytes < 1e6 ? `${Math.ceil(bytes / 1000)} KB` : `${(bytes / 1e6).toFixed(1)} MB`
