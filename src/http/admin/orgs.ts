import { orgIn } from '../../gateway/accounts/accounts.ts'
import { BoundedHeap } from '../../gateway/accounts/bounded-heap.ts'
import { looksLike } from '../../gateway/accounts/look-alikes.ts'
import { type OrgChange, orgId } from '../../gateway/store/org-store.ts'
import { type Denied, invalid } from '../../policy/denial.ts'
import type { OrgRecord } from '../../records/account.ts'
import type { ShownAccount } from '../../wire/admin/account.ts'
import { type ShownOrg, type ShownOrgs, shownOrg } from '../../wire/admin/org.ts'
import * as calls from '../../wire/admin-api/accounts.ts'
import type { BodyOf } from '../../wire/admin-api/call.ts'
import { beginLimit, settingOf, takingBack } from './limits.ts'
import { type AdminContext, type AdminOp, accountNamed, opOf } from './op.ts'

/** Runs an operation on the org that the body names in the place of an account, else on the account. */
export const onOrg =
  <Body extends { readonly account: string }>(
    ofOrg: (context: AdminContext, org: OrgRecord, body: Body) => Promise<ShownOrg | Denied>,
    ofAccount: (context: AdminContext, body: Body) => Promise<ShownAccount | Denied>,
  ) =>
  async (context: AdminContext, body: Body): Promise<ShownOrg | ShownAccount | Denied> => {
    const { account: named } = body
    const org = orgIn(named)
    if (org === undefined) return ofAccount(context, body)
    const record = await context.store.orgs.find(org)
    return record ? ofOrg(context, record, body) : noOrg(named)
  }

export const listOrgsOp: AdminOp = opOf(calls.listOrgs, listOrgs)

/** All of them are in one answer. */
const MOST_LISTED = 10_000

/** The orgs by their names. */
async function listOrgs({ store }: AdminContext): Promise<ShownOrgs> {
  const first = new BoundedHeap<OrgRecord>(MOST_LISTED + 1, (a, b) => (a.org < b.org ? -1 : 1))
  for await (const org of store.orgs.readAll()) first.offer(org)
  const orgs = first.inOrder()
  return { object: 'list', data: orgs.slice(0, MOST_LISTED).map(shownOrg), has_more: orgs.length > MOST_LISTED }
}

export const showOrg = async (_context: AdminContext, org: OrgRecord): Promise<ShownOrg> => shownOrg(org)

export const setOrgFrozen =
  (frozen: boolean) =>
  async (context: AdminContext, org: OrgRecord): Promise<ShownOrg | Denied> =>
    changeOrg(context, org, { frozen })

export const setOrgLimit = async (
  context: AdminContext,
  org: OrgRecord,
  { limit }: BodyOf<typeof calls.setLimit>,
): Promise<ShownOrg | Denied> => {
  const setting = settingOf(context.config, limit, org.terms, 'org')
  if ('limit' in setting) await beginLimit(context, { org: org.org }, setting.limit)
  return changeOrg(context, org, setting)
}

export const unsetOrgLimit = async (
  context: AdminContext,
  org: OrgRecord,
  { limit }: BodyOf<typeof calls.unsetLimit>,
): Promise<ShownOrg | Denied> => changeOrg(context, org, takingBack(limit, org.terms, 'org'))

async function changeOrg(
  { store, by }: AdminContext,
  { org }: OrgRecord,
  change: OrgChange['change'] | Denied,
): Promise<ShownOrg | Denied> {
  if ('denial' in change) return change
  const changed = await store.orgs.changeTerms({ org, change, by })
  return changed ? shownOrg(changed) : noOrg(orgId(org))
}

/** The name of an org that a new one of this name would be taken for: names have ASCII alone, so that only case can mislead. */
export async function orgLike({ store }: Pick<AdminContext, 'store'>, org: string): Promise<string | undefined> {
  if (await store.orgs.find(org)) return undefined
  for await (const other of store.orgs.readAll()) if (looksLike(other.org, org)) return other.org
  return undefined
}

/** The id of the account, or of the org, that `named` means: what rows of the audit are found by. */
export async function auditedNamed(
  context: Pick<AdminContext, 'store' | 'settings'>,
  named: string,
): Promise<{ readonly account: string } | Denied> {
  const org = orgIn(named)
  if (org === undefined) return accountNamed(context, named)
  return (await context.store.orgs.find(org)) ? { account: orgId(org) } : noOrg(named)
}

const noOrg = (named: string): Denied =>
  invalid('account', `there is no ${named}: create an org by putting an account into it with \`accounts set-org\``)
