import { randomUUID } from 'node:crypto'
import { changed } from '../../gateway/admission/terms.ts'
import { stepOfTerms } from '../../gateway/restrictions.ts'
import { type OrgChange, type OrgStore, orgId } from '../../gateway/store/org-store.ts'
import type { OrgTerms, Terms } from '../../policy/facts.ts'
import type { OrgRecord } from '../../records/account.ts'
import type { Access } from './access.ts'
import { ORG_FIELDS, readOrg } from './account-hash.ts'
import { termsText } from './codec.ts'
import { textsBy } from './places.ts'

/** Orgs, each a record in the bucket of its id. A change compares the terms it read: of two at once the second reads again. */
export class RedisOrgs implements OrgStore {
  readonly #access: Access

  constructor(access: Access) {
    this.#access = access
  }

  async open(org: string): Promise<OrgRecord> {
    for (;;) {
      const known = await this.find(org)
      if (known) return known
      await this.#change(org, undefined, {}, [])
    }
  }

  async find(org: string): Promise<OrgRecord | undefined> {
    const found = await this.#findStored(org)
    return found?.record
  }

  async *readAll(): AsyncGenerator<OrgRecord, void, undefined> {
    const { layout } = this.#access
    const seen = new Set<string>()
    for await (const names of this.#access.namesLike(layout.everyOrg)) {
      for (const name of names) {
        const org = layout.orgIn(name)
        if (org === undefined || seen.has(org)) continue
        seen.add(org)
        const found = await this.find(org)
        if (found) yield found
      }
    }
  }

  async changeTerms({ org, change, by }: OrgChange): Promise<OrgRecord | undefined> {
    for (;;) {
      const known = await this.#findStored(org)
      if (!known) return undefined
      const { terms, action, before, after } = changed(known.record.terms, change)
      if (before === after) return { ...known.record, terms }
      const done = await this.#change(org, known, terms, [by, action, before, after])
      if (done) return { ...known.record, terms }
    }
  }

  /** The terms of the org that an account belongs to; undefined where it belongs to none, or there is none of this name. */
  async termsFor({ org }: Terms): Promise<OrgTerms | undefined> {
    const found = org === undefined ? undefined : await this.#findStored(org)
    return found?.record.terms
  }

  async #findStored(org: string): Promise<StoredOrg | undefined> {
    const { layout, find } = this.#access
    const key = layout.org(org)
    return find(key, async ({ client }) => {
      const [change, ...fields] = await client.hmGet(key, ['change', ...ORG_FIELDS])
      const texts = textsBy(ORG_FIELDS, fields)
      const record = readOrg(org, texts)
      return record && { record, text: texts.terms ?? '', change: change ?? '' }
    })
  }

  /** False when another change came first. */
  async #change(
    org: string,
    known: StoredOrg | undefined,
    after: OrgTerms,
    audited: readonly string[],
  ): Promise<boolean> {
    const { layout } = this.#access
    const id = orgId(org)
    const [by = '', action = '', was = '', is = ''] = audited
    const now = [known?.change ?? '', randomUUID()]
    const values = [id, known?.text ?? '', termsText(after), id, by, action, was, is, '', 'org', ...now]
    const [outcome] = await this.#access.control(
      id,
      'change',
      [layout.org(org), layout.of(id).audit],
      values,
      stepOfTerms(after),
    )
    return outcome === 'done'
  }
}

/** As it lies in Redis; scripts compare the text of its terms, and the last change of them. */
interface StoredOrg {
  readonly record: OrgRecord
  readonly text: string
  readonly change: string
}
