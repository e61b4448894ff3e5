import { changed } from '../../gateway/admission/terms.ts'
import { type OrgChange, type OrgStore, orgId } from '../../gateway/store/org-store.ts'
import type { OrgRecord } from '../../records/account.ts'
import { noteChange } from './accounts.ts'
import { pagesOf } from './lmdb.ts'
import type { Records } from './records.ts'
import type { StoreState } from './store-state.ts'

/** Orgs. Every change is one transaction, so that of two at once the second sees the first. */
export class EmbeddedOrgs implements OrgStore {
  readonly #state: () => StoreState

  /** `state` throws StoreUnavailable once the store is closed. */
  constructor(state: () => StoreState) {
    this.#state = state
  }

  async open(org: string): Promise<OrgRecord> {
    const { records, now } = this.#state()
    const createdAt = now()
    const known = findOrg(records, org)
    if (known) return known
    return records.transact(() => {
      if (!records.orgs.doesExist(org)) records.write.org(org, { terms: {}, createdAt })
      return orgIn(records, org)
    })
  }

  async find(org: string): Promise<OrgRecord | undefined> {
    return findOrg(this.#state().records, org)
  }

  async *readAll(): AsyncGenerator<OrgRecord, void, undefined> {
    for await (const page of pagesOf(this.#state().records.orgs))
      for (const { key, value } of page) yield { org: key, ...value }
  }

  async changeTerms({ org, change, by }: OrgChange): Promise<OrgRecord | undefined> {
    const { records, now } = this.#state()
    const at = now()
    return records.transact(() => {
      const known = records.orgs.get(org)
      if (!known) return undefined
      const { terms, ...entry } = changed(known.terms, change)
      if (entry.before === entry.after) return { org, ...known }
      records.write.org(org, { ...known, terms })
      noteChange(records, { at, by, account: orgId(org), ...entry })
      return orgIn(records, org)
    })
  }
}

function findOrg({ orgs }: Records, org: string): OrgRecord | undefined {
  const found = orgs.get(org)
  return found && { org, ...found }
}

function orgIn(records: Records, org: string): OrgRecord {
  const found = findOrg(records, org)
  if (!found) throw new Error(`there is no org ${org}`)
  return found
}
