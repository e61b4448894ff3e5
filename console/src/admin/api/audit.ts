import type { ShownAudit } from '../../../../src/wire/admin/audit.ts'
import { ask } from '../../shared/api.ts'
import { hrefOf } from '../../shared/frame/router.ts'

export interface AuditQuery {
  readonly account?: string
  readonly action?: string
  readonly by?: string
  /** Only what came before this moment. */
  readonly before?: string
}

interface AuditPage {
  readonly data: readonly ShownAudit[]
  /** The place before which the next page begins; null where there is none. */
  readonly next: string | null
}

/** Changes, the newest first. */
export const listAudit = (query: AuditQuery, limit = 100) =>
  ask<AuditPage>(`/admin/audit${searchOf({ order: 'desc', limit: String(limit), ...query })}`)

/** `?a=b`; fields without a value are left out. */
export const searchOf = (fields: Parameters<typeof hrefOf>[1]): string => hrefOf('', fields).replace(/^[^?]*/, '')
