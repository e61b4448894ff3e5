import type { ShownRevisionLine } from '../../../../src/wire/admin/revision.ts'
import type { ShownRevisionDiff } from '../../../../src/wire/admin/revision-diff.ts'
import { ask } from '../../shared/api.ts'

/** Those that are kept, the newest first. */
export const listRevisions = () => ask<{ readonly revisions: readonly ShownRevisionLine[] }>('/admin/revisions')

export const diffRevisions = (from: number, to: number) =>
  ask<ShownRevisionDiff>(`/admin/revisions/diff?from=${from}&to=${to}`)
