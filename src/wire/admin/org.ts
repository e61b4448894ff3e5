import type { EpochMs } from '../../policy/config.ts'
import type { OrgTerms } from '../../policy/facts.ts'
import type { LimitRule } from '../../policy/limits/limit-rule.ts'
import type { JsonObject } from '../json-safety.ts'
import { seconds } from '../key.ts'
import { readLimits } from './limit.ts'
import { count, flag, list, object, text } from './record-fields.ts'

/** An org as operators see it. Its fields are called as those of accounts. */
export interface ShownOrg {
  /** `org:acme` */
  readonly account: string
  readonly label: string
  readonly kind: 'org'
  readonly created: number
  /** Whether an operator froze it, so that nothing is served for any of its accounts. */
  readonly frozen: boolean
  /** Each counts for all of its accounts together. */
  readonly limits: readonly LimitRule[]
}

export interface ShownOrgs {
  readonly object: 'list'
  readonly data: readonly ShownOrg[]
  readonly has_more: boolean
}

/** What a store has of an org. */
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

/** Reads an org that a gateway sent. Throws TypeError where it is of another form. */
export function readShownOrg(record: JsonObject): ShownOrg {
  return {
    account: text(record, 'account'),
    label: text(record, 'label'),
    kind: 'org',
    created: count(record, 'created'),
    frozen: flag(record, 'frozen'),
    limits: readLimits(record.limits),
  }
}

export const readOrgs = ({ data, has_more }: JsonObject): ShownOrgs => ({
  object: 'list',
  data: list(data, 'orgs').map(each => readShownOrg(object(each, 'org'))),
  has_more: has_more === true,
})
