import { ACCOUNT_NOTICES } from '../account/own-notices.ts'
import { ACCOUNT, ACCOUNTS, INVITED_ACCOUNT, LIST_ORDERS, SUBJECT } from '../admin/account.ts'
import { STANDING } from '../admin/event.ts'
import { COUNTED_LIMIT, LIMIT } from '../admin/limit.ts'
import { ORGS } from '../admin/org.ts'
import { ORG_ID } from '../names.ts'
import { closed, defaulted, flag, forms, listing, optional, orNull, text, whole, word } from '../schema/schema.ts'
import { call } from './call.ts'
import { ACCOUNT_NAME, name, SUBJECT_NAME, USD } from './fields.ts'

const ORG = text('An org, such as `org:acme`.', { pattern: ORG_ID, rule: 'must be an org, such as org:acme' })

const NAMED = closed({ account: SUBJECT_NAME })

export const showAccount = call({
  method: 'POST',
  path: '/admin/accounts/show',
  needs: 'viewer',
  summary: 'Shows an account with its limits, its usage in this window and its keys; or an org.',
  body: NAMED,
  answer: SUBJECT,
})

export const setPlan = call({
  method: 'POST',
  path: '/admin/accounts/plan',
  needs: 'admin',
  summary: 'Puts an account on a plan; null removes the plan that an operator set.',
  body: closed({ account: ACCOUNT_NAME, plan: orNull(name()) }),
  answer: ACCOUNT,
})

export const setOverage = call({
  method: 'POST',
  path: '/admin/accounts/overage',
  needs: 'admin',
  summary: 'Lets an account spend beyond its quota, with or without a cap; null leaves it to the plan.',
  body: closed({ account: ACCOUNT_NAME, overage: orNull(forms(flag(), closed({ cap_usd: USD }))) }),
  answer: ACCOUNT,
})

export const grantCredit = call({
  method: 'POST',
  path: '/admin/accounts/grant',
  needs: 'support',
  summary: 'Adds to the quota of the current window; a negative amount takes credit back.',
  body: closed({ account: ACCOUNT_NAME, usd: USD }),
  answer: ACCOUNT,
})

export const freezeAccount = call({
  method: 'POST',
  path: '/admin/accounts/freeze',
  needs: 'admin',
  summary: 'Freezes an account, or all accounts of an org: their requests are refused until they are thawed.',
  body: NAMED,
  answer: SUBJECT,
})

export const thawAccount = call({
  method: 'POST',
  path: '/admin/accounts/thaw',
  needs: 'admin',
  summary: 'Thaws an account or an org.',
  body: NAMED,
  answer: SUBJECT,
})

export const setLimit = call({
  method: 'POST',
  path: '/admin/accounts/limit',
  needs: 'admin',
  summary: 'Sets a limit of an account or an org, in place of one that counts the same.',
  body: closed({ ...NAMED.fields, limit: LIMIT }),
  answer: SUBJECT,
})

export const unsetLimit = call({
  method: 'POST',
  path: '/admin/accounts/unlimit',
  needs: 'admin',
  summary: 'Removes a limit that an operator set for an account or an org.',
  body: closed({ ...NAMED.fields, limit: COUNTED_LIMIT }),
  answer: SUBJECT,
})

export const setOrg = call({
  method: 'POST',
  path: '/admin/accounts/org',
  needs: 'admin',
  summary: 'Moves an account into an org, which its first account creates; null takes it out.',
  body: closed({ account: ACCOUNT_NAME, org: orNull(ORG) }),
  answer: ACCOUNT,
})

export const invite = call({
  method: 'POST',
  path: '/admin/accounts/invite',
  needs: 'admin',
  summary:
    'Creates a link that lets one sign-in join an account that an operator opened, and revokes the previous link.',
  body: closed({ account: ACCOUNT_NAME }),
  answer: INVITED_ACCOUNT,
})

export const uninvite = call({
  method: 'POST',
  path: '/admin/accounts/uninvite',
  needs: 'admin',
  summary: 'Revokes the open invitation; or, given the id of a sign-in that joined, removes that sign-in.',
  body: closed({ account: ACCOUNT_NAME, sign_in: optional(name()) }),
  answer: ACCOUNT,
})

export const showContacts = call({
  method: 'POST',
  path: '/admin/accounts/notices',
  needs: 'viewer',
  summary: 'Shows where notices of an account go, by its own choice.',
  body: closed({ account: ACCOUNT_NAME }),
  answer: ACCOUNT_NOTICES,
})

export const removeContact = call({
  method: 'POST',
  path: '/admin/accounts/notices/remove',
  needs: 'support',
  summary: 'Removes the mail address or the webhook that an account chose for its notices.',
  body: closed({ account: ACCOUNT_NAME, contact: word(['mail', 'webhook']) }),
  answer: ACCOUNT_NOTICES,
})

export const findAccounts = call({
  method: 'POST',
  path: '/admin/accounts/find',
  needs: 'viewer',
  summary:
    'Finds accounts while an operator types: first the one with this id, label or key, then others that contain the text.',
  body: closed({ search: name(), limit: defaulted(whole(undefined, { least: 1, most: 100 }), 20) }),
  answer: listing(ACCOUNT, { partial: flag('Whether `POST /admin/accounts/list` may find more.') }),
})

export const listAccounts = call({
  method: 'POST',
  path: '/admin/accounts/list',
  needs: 'viewer',
  summary: 'Lists accounts in pages; without `plan`, all except devices.',
  body: closed({
    plan: optional(name()),
    org: optional(ORG),
    search: optional(name('A text in the id or the label, ignoring case.')),
    sort: defaulted(word(LIST_ORDERS), 'label'),
    limit: whole('The most accounts on a page.', { least: 1, most: 1000 }),
    cursor: optional(text('`next` of the previous page.', { most: 2000 })),
  }),
  answer: ACCOUNTS,
})

export const listOrgs = call({
  method: 'GET',
  path: '/admin/orgs',
  needs: 'viewer',
  summary: 'Lists the orgs by name.',
  answer: ORGS,
})

export const listStandings = call({
  method: 'GET',
  path: '/admin/accounts',
  needs: 'viewer',
  summary: 'Exports usage against limits, one JSON line per account: of one account, or of all that ever had a key.',
  query: { account: optional(ACCOUNT_NAME) },
  lines: STANDING,
})
