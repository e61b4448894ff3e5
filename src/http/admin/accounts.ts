import { orgIn } from '../../gateway/accounts/accounts.ts'
import type { AccountRecord, TermsChange } from '../../gateway/store/account-store.ts'
import { orgId } from '../../gateway/store/org-store.ts'
import { keyOfWindow } from '../../policy/decision.ts'
import { type Denied, invalid } from '../../policy/denial.ts'
import { type NanoUsd, nanoUsd } from '../../policy/nano-usd.ts'
import { planOf } from '../../policy/plan.ts'
import { type ShownAccount, shownAccount } from '../../wire/admin/account.ts'
import * as calls from '../../wire/admin-api/accounts.ts'
import type { BodyOf } from '../../wire/admin-api/call.ts'
import { beginLimit, settingOf, takingBack } from './limits.ts'
import { type AdminContext, type AdminOp, accountNamed, noAccount, opOf, unknownPlan } from './op.ts'
import { onOrg, orgLike, setOrgFrozen, setOrgLimit, showOrg, unsetOrgLimit } from './orgs.ts'

/** Operators' decisions on accounts, and freezes of orgs. It holds for the next request, whatever plan the account is on. */
export const accountOps: readonly AdminOp[] = [
  opOf(calls.showAccount, onOrg(showOrg, showAccount)),
  opOf(calls.setPlan, setPlan),
  opOf(calls.setOverage, setOverage),
  opOf(calls.grantCredit, grant),
  opOf(calls.freezeAccount, onOrg(setOrgFrozen(true), setFrozen(true))),
  opOf(calls.thawAccount, onOrg(setOrgFrozen(false), setFrozen(false))),
  opOf(calls.setLimit, onOrg(setOrgLimit, setLimit)),
  opOf(
    calls.unsetLimit,
    onOrg(unsetOrgLimit, (context, { account, limit }) =>
      change(context, account, async ({ terms }) => takingBack(limit, terms, 'account')),
    ),
  ),
  opOf(calls.setOrg, setOrg),
]

type Shown = Promise<ShownAccount | Denied>

/** An account with what it may use, what it used in this window, and its keys. */
export async function showAccount(context: AdminContext, { account }: { readonly account: string }): Shown {
  const record = await accountNamed(context, account)
  return 'denial' in record ? record : shownOf(context, record)
}

export async function shownOf({ config, store, clock }: AdminContext, record: AccountRecord): Promise<ShownAccount> {
  const { account, terms } = record
  const [spend, keys, org] = await Promise.all([
    store.accounts.readSpend(account, config.calendar),
    store.keys.listOf(account),
    terms.org === undefined ? undefined : store.orgs.find(terms.org),
  ])
  return shownAccount(config, org ? { ...record, orgTerms: org.terms } : record, spend, keys, clock.now())
}

async function setPlan(context: AdminContext, { account, plan }: BodyOf<typeof calls.setPlan>): Shown {
  const wrong = plan === null ? undefined : unknownPlan(context.config, plan)
  if (wrong) return wrong
  if (plan === null) {
    const record = await accountNamed(context, account)
    if ('denial' in record) return record
    const { override: _override, ...terms } = record.terms
    if (!planOf(context.config, { ...record, terms }))
      return invalid('plan', `${record.label} has no plan to fall back to: set another plan instead`)
  }
  return change(context, account, async () => ({ override: plan }))
}

async function setOverage(context: AdminContext, { account, overage }: BodyOf<typeof calls.setOverage>): Shown {
  if (overage === null || typeof overage === 'boolean') return change(context, account, async () => ({ overage }))
  const capNanoUsd = nanoOf(overage.cap_usd)
  if (capNanoUsd < 0) return invalid('overage.cap_usd', 'must not be negative')
  return change(context, account, async () => ({ overage: { capNanoUsd } }))
}

function grant(context: AdminContext, { account: named, usd }: BodyOf<typeof calls.grantCredit>): Shown {
  return change(context, named, async ({ account }) => ({
    grant: nanoOf(usd),
    window: keyOfWindow((await context.store.accounts.readSpend(account, context.config.calendar)).window),
  }))
}

/** Devices too may be frozen. */
function setFrozen(frozen: boolean) {
  return async (context: AdminContext, { account }: { readonly account: string }): Shown => {
    const record = await accountNamed(context, account)
    return 'denial' in record ? record : changeTerms(context, record.account, { frozen })
  }
}

function setLimit(context: AdminContext, body: BodyOf<typeof calls.setLimit>): Shown {
  return change(context, body.account, async ({ account, terms }) => {
    const setting = settingOf(context.config, body.limit, terms, 'account')
    if ('limit' in setting) await beginLimit(context, { account }, setting.limit)
    return setting
  })
}

/** The org begins with its first account. */
async function setOrg(context: AdminContext, body: BodyOf<typeof calls.setOrg>): Shown {
  const org = body.org === null ? undefined : orgIn(body.org)
  return change(context, body.account, async () => {
    if (org === undefined) return { org: null }
    const alike = await orgLike(context, org)
    if (alike !== undefined) return invalid('org', `looks like \`${orgId(alike)}\`, which exists: use that name`)
    await context.store.orgs.open(org)
    return { org }
  })
}

async function change(
  context: AdminContext,
  named: string,
  decide: (record: AccountRecord) => Promise<TermsChange['change'] | Denied>,
): Shown {
  const record = await accountNamed(context, named)
  if ('denial' in record) return record
  if (record.kind === 'guest') return invalid('account', "is a device: all devices are on the guests' plan")
  const decided = await decide(record)
  return 'denial' in decided ? decided : changeTerms(context, record.account, decided)
}

async function changeTerms(context: AdminContext, account: string, change: TermsChange['change']): Shown {
  const changed = await context.store.accounts.changeTerms({ account, change, by: context.by })
  return changed ? shownOf(context, changed) : noAccount(account)
}

/** A decimal that the check of the operation let through, as an exact integer: no double is between. */
function nanoOf(usd: string): NanoUsd {
  const [whole = '', fraction = ''] = usd.split('.')
  return nanoUsd(Number(BigInt(whole + fraction.padEnd(9, '0'))))
}
