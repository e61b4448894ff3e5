/**
 * The limits that notices may be of, by who shares them, as in `of` of a limit. Sessions and the values of labels are left out:
 * clients choose those, as many as they like.
 */
export const NOTICE_SCOPES = ['account', 'key', 'user', 'plan', 'org', 'everybody'] as const

export type NoticeScope = (typeof NOTICE_SCOPES)[number]

export const isNoticeScope = (of: string): of is NoticeScope => (NOTICE_SCOPES as readonly string[]).includes(of)

/** Events that notices may be about beside limits, by how the files name them. */
export const NOTICE_EVENTS = ['expiring_keys', 'freezes', 'ejected_pools', 'incidents'] as const

export type NoticeEventName = (typeof NOTICE_EVENTS)[number]

/** Announces limits and events to targets, as the files write it in `notices`. */
export interface NoticeRule {
  /** Percent of a limit, ascending, each once; empty where it is about events alone. */
  readonly at: readonly number[]
  readonly of: readonly NoticeScope[]
  /** Absent where it is about limits alone. */
  readonly on?: readonly NoticeEventName[]
  /** Names of targets. */
  readonly to: readonly string[]
}
