import { idAt } from '../../../gateway/accounts/keys.ts'
import type { IdRange } from '../../../gateway/archive/archive.ts'
import { LONGEST_ADMISSION_MS, PAID } from '../../../gateway/store/archive-store.ts'
import type { LedgerQuery, PastQuery } from '../../../gateway/store/ledger-store.ts'

/** Conditions of a statement that all hold, and the values that they name. No value stands in the text. */
export class Where {
  readonly #conditions: string[] = []
  readonly values: unknown[]

  /** `values` are those of conditions that the same statement has before. */
  constructor(values: readonly unknown[] = []) {
    this.values = [...values]
  }

  get text(): string {
    return this.#conditions.length === 0 ? 'true' : this.#conditions.join(' AND ')
  }

  /** Each `?` stands for the next value. */
  add(condition: string, ...values: readonly unknown[]): void {
    let at = this.values.length
    this.#conditions.push(condition.replaceAll('?', () => `$${++at}`))
    this.values.push(...values)
  }

  range({ from, after, to }: IdRange): void {
    if (from !== undefined) this.add('request_id >= ?', from)
    if (after !== undefined) this.add('request_id > ?', after)
    if (to !== undefined) this.add('request_id <= ?', to)
  }

  /** Narrows by each row's own account, key and time. Ids are compared too, since they have the index. */
  asked({ account, key, since, until }: LedgerQuery): void {
    if (account !== undefined) this.add('account = ?', account)
    if (key !== undefined) this.add('key = ?', key)
    if (since !== undefined && since > 0) {
      this.add('request_id >= ?', idAt(since - LONGEST_ADMISSION_MS))
      this.add('admitted_at >= ?', new Date(since))
    }
    if (until !== undefined) {
      this.add('request_id < ?', idAt(until + LONGEST_ADMISSION_MS))
      this.add('admitted_at < ?', new Date(until))
    }
  }

  /** Narrows by what the rows of a request say together. */
  meant({ model, pool, label, slow = 0, failed, copied }: PastQuery): void {
    if (model !== undefined) this.add('bool_or(model = ?)', model)
    if (pool !== undefined) this.add('bool_or(pool = ?)', pool)
    if (label) this.add('bool_or(labels ->> ?::text = ?)', label.name, label.value)
    if (slow > 0)
      this.add("max(settled_at) FILTER (WHERE mirror IS NULL) - min(admitted_at) >= ? * interval '1 millisecond'", slow)
    if (copied) this.add('bool_or(mirror IS NOT NULL)')
    if (failed) this.add("(bool_and(place > ?) OR bool_or(kind = 'orphan'))", PAID)
  }
}
