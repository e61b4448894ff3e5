import type { ShownMatrix, ShownPlanLimits } from '../../../../src/wire/admin/matrix.ts'
import type { ShownPlanCount } from '../../../../src/wire/admin/revision.ts'
import { ask } from '../../shared/api.ts'

export interface Matrix extends ShownMatrix {
  readonly plans: readonly ShownPlanLimits[]
}

export const readMatrix = () => ask<Matrix>('/admin/matrix')

/** How many accounts are on each plan: all of them are looked at for it. */
export const countPlans = () => ask<{ readonly plans: readonly ShownPlanCount[] }>('/admin/plans')
