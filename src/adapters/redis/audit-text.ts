import { AUDIT, type AuditRow } from '../../records/audit.ts'
import { listOf, recordFrom } from '../../records/fields.ts'
import type { Texts } from './hash-fields.ts'

const LISTED = listOf(AUDIT)

/** An audit row as names and texts by turns. */
export const auditTexts = (row: AuditRow): readonly string[] =>
  LISTED.flatMap(({ member }) => [member, String(row[member])])

export const readAuditRow = (texts: Texts): AuditRow =>
  recordFrom<typeof AUDIT>(LISTED, ({ member, kind }) => (kind === 'moment' ? Number(texts[member]) : texts[member]))
