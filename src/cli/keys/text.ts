import { labelsText } from '../../policy/label-values.ts'
import type { ShownAccount } from '../../wire/admin/account.ts'
import type { ShownKey } from '../../wire/admin/key.ts'
import { limitText } from '../../wire/admin/limit.ts'
import { accountText, planText, timeText } from '../accounts/text.ts'
import { type Column, table, tableText } from '../kit/table.ts'

/** Keys as people read them. */
export const keysTable = (keys: readonly ShownKey[]): string =>
  tableText(
    COLUMNS,
    keys.map(key => [
      key.key,
      key.name ?? '-',
      key.label,
      key.plan ?? 'none',
      statusText(key),
      timeText(key.created),
      momentText(key.expires),
      momentText(key.last_used),
      key.id,
    ]),
  )

const COLUMNS: readonly Column[] = [
  { title: 'KEY' },
  { title: 'NAME', least: 6 },
  { title: 'ACCOUNT', least: 12 },
  { title: 'PLAN', least: 8, gives: 5 },
  { title: 'STATUS' },
  { title: 'CREATED', gives: 1 },
  { title: 'EXPIRES', gives: 3 },
  { title: 'LAST USED', gives: 2 },
  { title: 'ID', gives: 4 },
]

/** A key with the account that it is of. */
export function keyText(key: ShownKey & { readonly owner: ShownAccount }): string {
  const { models, addresses, limits, apart, labels } = key
  const rows = [
    ['id', key.id],
    ...(key.name === null ? [] : [['name', key.name]]),
    ...(key.expires === null ? [] : [['expires', timeText(key.expires)]]),
    ['last used', momentText(key.last_used)],
    ...(models ? [['models', `${models.join(', ')}, of the models of its plan`]] : []),
    ...(addresses ? [['from', addresses.join(', ')]] : []),
    ...(limits ?? []).map(limit => ['limit', limitText(limit)]),
    ...(labels ? [['labels', labelsText(labels)]] : []),
    ...(apart ? [['responses', 'isolated: it reads only responses that it kept itself']] : []),
    ...(key.replaced_by === null ? [] : [['replaced by', key.replaced_by]]),
  ]
  return `${key.key}  ${statusText(key)}  ${timeText(key.created)}\n\n${table(rows)}\n\n${accountText(key.owner)}`
}

/** A key in a sentence: `svc_7Hq2… (ci)`. */
export const keyName = ({ key, name }: Pick<ShownKey, 'key' | 'name'>): string =>
  name === null ? key : `${key} (${name})`

/** The text that hands over a new key on a terminal. */
export const mintedText = (key: ShownKey, value: string, baseUrl: string): string => `✓ Key for ${key.label}
  plan ${planText(key)}

  ${value}

  ${key.kind === 'guest' ? 'This device gets the same key whenever it asks.' : 'The key is shown only once: the gateway keeps only its hash.'}

  export OPENAI_BASE_URL=${baseUrl}
  export OPENAI_API_KEY=${value}`

/** One that was replaced and still works is soon over. */
const statusText = ({ status, replaced_by }: ShownKey): string =>
  status === 'active' && replaced_by !== null ? 'replaced' : status

const momentText = (seconds: number | null): string => (seconds === null ? '-' : timeText(seconds))
