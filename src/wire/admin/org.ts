import type { EpochMs } from '../../policy/config.ts'
import type { OrgTerms } from '../../policy/facts.ts'
import { seconds } from '../key.ts'
import { LIMIT_RULE } from '../limit-rule.ts'
import { defaulted, fixed, flag, list, listing, record, type TypeOf, text, whole } from '../schema/schema.ts'

/** An org as operators see it. Its fields are called as those of accounts. */
export const ORG = record(
  {
    account: text('`org:acme`'),
    label: text(),
    kind: fixed('org'),
    created: whole('Seconds since the epoch.'),
    frozen: flag('Whether an operator froze it, so that requests of all its accounts are refused.'),
    limits: defaulted(list(LIMIT_RULE, 'Each counts all of its accounts together.'), []),
  },
  'Org',
)

export interface ShownOrg extends TypeOf<typeof ORG> {}

export const ORGS = listing(ORG, { has_more: defaulted(flag('True if there are more than 10,000.'), false) })

export interface ShownOrgs extends TypeOf<typeof ORGS> {}

/** An org as stores have it. */
interface StoredOrg {
  readonly org: string
  readonly terms: OrgTerms
  readonly createdAt: EpochMs
}

export function shownOrg({ org, terms, createdAt }: StoredOrg): ShownOrg {
  const account = `org:${org}`
  const { frozen = false, limits = [] } = terms
  return { account, label: account, kind: 'org', created: seconds(createdAt), frozen, limits }
}
