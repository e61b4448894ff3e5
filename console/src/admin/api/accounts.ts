import type { ShownAccount, ShownAccounts } from '../../../../src/wire/admin/account.ts'
import type { ShownStanding } from '../../../../src/wire/admin/event.ts'
import type { ShownKey } from '../../../../src/wire/admin/key.ts'
import type { ShownOrg } from '../../../../src/wire/admin/org.ts'
import { ask } from '../../shared/api.ts'
import { nanoUsdText } from '../../shared/fmt.ts'
import { searchOf } from './audit.ts'

export interface AccountsQuery {
  readonly search?: string
  readonly plan?: string
  readonly org?: string
  readonly sort?: string
  readonly cursor?: string
}

export const listAccounts = (query: AccountsQuery, limit = 50) =>
  ask<ShownAccounts>('/admin/accounts/list', { limit, ...query })

/** The one that the text names, and others that have it in their label or id: at once, and perhaps not all of them. */
export const findAccounts = (search: string) =>
  ask<Pick<ShownAccounts, 'data'> & { readonly partial: boolean }>('/admin/accounts/find', { search, limit: 50 })

export const listOrgs = () => ask<{ readonly data: readonly Pick<ShownOrg, 'account'>[] }>('/admin/orgs')

/** All that is known of one account, but for its requests and its changes. */
export interface WholeAccount {
  readonly account: ShownAccount
  /** The use of each of its limits. */
  readonly standing: ShownStanding
  readonly keys: readonly ShownKey[]
}

export async function readAccount(id: string): Promise<WholeAccount> {
  const [account, standing, { data: keys }] = await Promise.all([
    ask<ShownAccount>('/admin/accounts/show', { account: id }),
    ask<ShownStanding>(`/admin/accounts${searchOf({ account: id })}`),
    ask<{ readonly data: readonly ShownKey[] }>('/admin/keys/list', { account: id }),
  ])
  return { account, standing, keys }
}

/** A change of an account or of one of its keys, and the command that does the same. */
export interface Change {
  readonly path: string
  readonly body: object
  readonly command: string
  /** Said once it was done. */
  readonly done: string
}

/** Makes a change. */
export const apply = ({ path, body }: Change) => ask<Applied>(`/admin/${path}`, body)

/** The parts of an answer that are shown once. */
export interface Applied {
  readonly value?: string
  readonly invitation?: string
  /** Null where no console leads through it. */
  readonly link?: string | null
  readonly account: string
  /** Whether the key was there already. */
  readonly existing?: boolean
}

/** A limit that an operator set. */
export type LimitRule = ShownAccount['limits'][number]

/** `usd 500 per month of key for svc-core`, as commands take it. */
export const limitText = (limit: LimitRule): string =>
  `${limit.measure} ${limit.measure === 'usd' ? nanoUsdText(limit.most) : limit.most}${partsText(limit)}`

/** A limit's text without the number. */
export const countedText = ({ measure, ...parts }: Omit<LimitRule, 'most'>): string => measure + partsText(parts)

/** `per month`, or `idle 24h` of sessions. */
export const windowWords = (per: string): string => (per.startsWith('idle:') ? per.replace(':', ' ') : `per ${per}`)

export const partsText = ({ per, of, model }: Pick<LimitRule, 'per' | 'of' | 'model'>): string =>
  (per === undefined ? '' : ` ${windowWords(per)}`) +
  (of === undefined ? '' : ` of ${of}`) +
  (model === undefined ? '' : ` for ${model}`)
