/**
 * The limits that notices may be of, by who shares them, as in `of` of a limit. Sessions and the values of labels are left out:
 * clients choose those, as many as they like.
 */
export const NOTICE_SCOPES = ['account', 'key', 'user', 'plan', 'org', 'everybody'] as const

export type NoticeScope = (typeof NOTICE_SCOPES)[number]

export const isNoticeScope = (of: string): of is NoticeScope => (NOTICE_SCOPES as readonly string[]).includes(of)

/** Announces limits to targets, as the files write it in `notices`. */
export interface NoticeRule {
  /** Percent of a limit, ascending, each once. */
  readonly at: readonly number[]
  readonly of: readonly NoticeScope[]
  /** Names of targets. */
  readonly to: readonly string[]
}
