import type { ShownPool } from '../../../../src/wire/admin/pool.ts'
import { ask } from '../../shared/api.ts'

export const listPools = () => ask<{ readonly data: readonly ShownPool[] }>('/admin/pools')
