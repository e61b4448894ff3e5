import type { OrgRecord } from '../../records/account.ts'
import type { TermsChange } from './account-store.ts'

/**
 * Orgs, to which accounts belong by their terms: one facet of the Store, see there for atomicity, clock and outages.
 * A decision on an org counts for all of its accounts, from the next request on.
 */
export interface OrgStore {
  /** Opens an org, unless there is one of this name. Durable. */
  open(org: string): Promise<OrgRecord>
  /** The org of this name; undefined where there is none. */
  find(org: string): Promise<OrgRecord | undefined>
  /** Every org there is, once, in no order. */
  readAll(): AsyncIterable<OrgRecord>
  /** Changes one thing that an operator decides about an org; undefined when there is none. Durable, with a row of the audit under the id of the org where it changed. */
  changeTerms(change: OrgChange): Promise<OrgRecord | undefined>
}

/** One decision of an operator about an org. */
export interface OrgChange extends Pick<TermsChange, 'by'> {
  readonly org: string
  readonly change: Extract<TermsChange['change'], { frozen: unknown } | { limit: unknown } | { withoutLimit: unknown }>
}

/** The id that stands for an org in the place of an account: no id of an account begins so. */
export const orgId = (org: string): string => `org:${org}`
