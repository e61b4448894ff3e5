import type { ShownNotices } from '../../../../src/wire/admin/notice.ts'
import { ask } from '../../shared/api.ts'
import { searchOf } from './audit.ts'

/** Lists the newest notices, as many as the gateway gives at once. An empty state lists all of them. */
export const listNotices = (state: string) =>
  ask<ShownNotices>(`/admin/notices${searchOf({ limit: '200', ...(state && { state }) })}`)

/** Sends one notice again, or all that did not arrive. */
export const retryNotices = (id?: string) =>
  ask<{ readonly retried: number }>('/admin/notices/retry', id === undefined ? {} : { id })

/** Sends a test to a target at once. */
export const testTarget = (target: string) =>
  ask<{ readonly delivered: boolean; readonly error: string | null }>('/admin/notices/test', { target })
