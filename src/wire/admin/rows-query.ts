/** When an operator's question begins and ends, as texts: from `since` on and before `until`, or in a month such as `2026-10`. */
export interface PeriodQuery {
  readonly since?: string
  readonly until?: string
  readonly month?: string
}

/** Which rows of the ledger an operator asks for, as texts. */
export interface RowsQuery extends PeriodQuery {
  /** Its id or label. */
  readonly account?: string
  /** As a key is named. */
  readonly key?: string
}

/** What an operator asks of past requests, as texts. */
export interface PastRequestsQuery extends RowsQuery {
  readonly model?: string
  readonly pool?: string
  /** That took this long at least: `5s`, `250ms`. */
  readonly slow?: string
  /** `true`: those alone that were refused, failed or broke off. */
  readonly errors?: string
  /** `next` of the page before. */
  readonly before?: string
  readonly limit?: string
}
