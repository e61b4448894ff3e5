import { ORG_ID, orgIn } from '../../gateway/accounts/accounts.ts'
import type { AccountRecord, TermsChange } from '../../gateway/store/account-store.ts'
import { orgId } from '../../gateway/store/org-store.ts'
import { type Denied, invalid } from '../../policy/denial.ts'
import { type NanoUsd, nanoUsd } from '../../policy/nano-usd.ts'
import { planOf } from '../../policy/plan.ts'
import { type ShownAccount, shownAccount } from '../../wire/admin/account.ts'
import { isObject, type JsonObject } from '../../wire/json-safety.ts'
import { validator } from '../../wire/openai/validate.ts'
import { ACCOUNT_SCOPES, beginLimit, SET_LIMIT, settingOf, takingBack, UNSET_LIMIT } from './admin-limits.ts'
import { type AdminContext, type AdminOp, accountNamed, NAME, noAccount, textOf, unknownPlan } from './admin-op.ts'
import { onOrg, orgLike, setOrgFrozen, setOrgLimit, showOrg, unsetOrgLimit } from './admin-orgs.ts'

const USD = {
  type: 'string',
  pattern: '^-?[0-9]{1,7}(\\.[0-9]{1,9})?$',
  description: 'must be US dollars, such as 12.50',
}
const checkNamed = (properties: object) =>
  validator({
    type: 'object',
    required: ['account', ...Object.keys(properties)],
    properties: { account: NAME, ...properties },
    additionalProperties: false,
  })
const overage = {
  type: ['boolean', 'null', 'object'],
  required: ['cap_usd'],
  properties: { cap_usd: USD },
  additionalProperties: false,
}

const org = { type: ['string', 'null'], pattern: ORG_ID, description: 'must be an org, such as org:acme' }

/** What operators decide of accounts, and freeze of orgs. It holds for the next request, whatever plan the account is on. */
export const accountOps: readonly AdminOp[] = [
  {
    method: 'POST',
    path: '/admin/accounts/show',
    needs: 'viewer',
    check: checkNamed({}),
    run: onOrg(showOrg, showAccount),
  },
  {
    method: 'POST',
    path: '/admin/accounts/plan',
    needs: 'admin',
    check: checkNamed({ plan: { ...NAME, type: ['string', 'null'] } }),
    run: setPlan,
  },
  { method: 'POST', path: '/admin/accounts/overage', needs: 'admin', check: checkNamed({ overage }), run: setOverage },
  { method: 'POST', path: '/admin/accounts/grant', needs: 'support', check: checkNamed({ usd: USD }), run: grant },
  {
    method: 'POST',
    path: '/admin/accounts/freeze',
    needs: 'admin',
    check: checkNamed({}),
    run: onOrg(setOrgFrozen(true), setFrozen(true)),
  },
  {
    method: 'POST',
    path: '/admin/accounts/thaw',
    needs: 'admin',
    check: checkNamed({}),
    run: onOrg(setOrgFrozen(false), setFrozen(false)),
  },
  {
    method: 'POST',
    path: '/admin/accounts/limit',
    needs: 'admin',
    check: checkNamed(SET_LIMIT),
    run: onOrg(setOrgLimit, setLimit),
  },
  {
    method: 'POST',
    path: '/admin/accounts/unlimit',
    needs: 'admin',
    check: checkNamed(UNSET_LIMIT),
    run: onOrg(
      unsetOrgLimit,
      changing((_context, body, { terms }) => takingBack(body, terms, ACCOUNT_SCOPES)),
    ),
  },
  { method: 'POST', path: '/admin/accounts/org', needs: 'admin', check: checkNamed({ org }), run: setOrg },
]

/** An account with what it may use, what it used in this window, and its keys. */
export async function showAccount(context: AdminContext, body: JsonObject): Promise<ShownAccount | Denied> {
  const record = await accountNamed(context, textOf(body, 'account'))
  return 'denial' in record ? record : shownOf(context, record)
}

export async function shownOf({ config, store, clock }: AdminContext, record: AccountRecord): Promise<ShownAccount> {
  const { account, terms } = record
  const [spend, keys, org] = await Promise.all([
    store.accounts.readSpend(account),
    store.keys.listOf(account),
    terms.org === undefined ? undefined : store.orgs.find(terms.org),
  ])
  return shownAccount(config, org ? { ...record, orgTerms: org.terms } : record, spend, keys, clock.now())
}

async function setPlan(context: AdminContext, body: JsonObject): Promise<object | Denied> {
  const plan = body.plan === null ? null : textOf(body, 'plan')
  const wrong = plan === null ? undefined : unknownPlan(context.config, plan)
  if (wrong) return wrong
  if (plan === null) {
    const record = await accountNamed(context, textOf(body, 'account'))
    if ('denial' in record) return record
    const { override: _override, ...terms } = record.terms
    if (!planOf(context.config, { ...record, terms }))
      return invalid('plan', `${record.label} has no other plan to fall back to: set another one instead`)
  }
  return change(context, body, async () => ({ override: plan }))
}

async function setOverage(context: AdminContext, body: JsonObject): Promise<object | Denied> {
  const written = body.overage
  if (!isObject(written))
    return change(context, body, async () => ({ overage: typeof written === 'boolean' ? written : null }))
  const capNanoUsd = nanoOf(textOf(written, 'cap_usd'))
  if (capNanoUsd < 0) return invalid('overage.cap_usd', 'must not be negative')
  return change(context, body, async () => ({ overage: { capNanoUsd } }))
}

function grant(context: AdminContext, body: JsonObject): Promise<object | Denied> {
  return change(context, body, async ({ account }) => ({
    grant: nanoOf(textOf(body, 'usd')),
    window: (await context.store.accounts.readSpend(account)).window.start,
  }))
}

/** Devices too may be frozen. */
function setFrozen(frozen: boolean) {
  return async (context: AdminContext, body: JsonObject): Promise<object | Denied> => {
    const record = await accountNamed(context, textOf(body, 'account'))
    return 'denial' in record ? record : changeTerms(context, record.account, { frozen })
  }
}

function setLimit(context: AdminContext, body: JsonObject): Promise<object | Denied> {
  return change(context, body, async ({ account, terms }) => {
    const setting = settingOf(context.config, body, terms, ACCOUNT_SCOPES)
    if ('limit' in setting) await beginLimit(context, { account }, setting.limit)
    return setting
  })
}

/** The org begins with its first account. */
async function setOrg(context: AdminContext, body: JsonObject): Promise<object | Denied> {
  const org = body.org === null ? undefined : orgIn(textOf(body, 'org'))
  return change(context, body, async () => {
    if (org === undefined) return { org: null }
    const alike = await orgLike(context, org)
    if (alike !== undefined) return invalid('org', `looks like \`${orgId(alike)}\`, which exists: name that one`)
    await context.store.orgs.open(org)
    return { org }
  })
}

async function change(
  context: AdminContext,
  body: JsonObject,
  decide: (record: AccountRecord) => Promise<TermsChange['change'] | Denied>,
): Promise<object | Denied> {
  const record = await accountNamed(context, textOf(body, 'account'))
  if ('denial' in record) return record
  if (record.kind === 'guest') return invalid('account', 'is a device: the plan of guests holds for all of them')
  const decided = await decide(record)
  return 'denial' in decided ? decided : changeTerms(context, record.account, decided)
}

function changing(
  decide: (context: AdminContext, body: JsonObject, record: AccountRecord) => TermsChange['change'] | Denied,
): AdminOp['run'] {
  return (context, body) => change(context, body, async record => decide(context, body, record))
}

async function changeTerms(
  context: AdminContext,
  account: string,
  change: TermsChange['change'],
): Promise<object | Denied> {
  const changed = await context.store.accounts.changeTerms({ account, change, by: context.by })
  return changed ? shownOf(context, changed) : noAccount(account)
}

/** A decimal that the check of the operationerationeration let through, as an exact integer: no double is between. */
function nanoOf(usd: string): NanoUsd {
  const [whole = '', fraction = ''] = usd.split('.')
  return nanoUsd(Number(BigInt(whole + fraction.padEnd(9, '0'))))
}
