import { ask } from '../../shared/api.ts'

/** The names that the configuration declares. */
export interface Names {
  readonly plans: readonly string[]
  readonly models: readonly string[]
  readonly pools: readonly string[]
}

/** For fields that choose by them: from the configuration, and never from what was counted. */
export async function listNames(): Promise<Names> {
  const [matrix, pools] = await Promise.all([
    ask<{ readonly data: readonly { readonly plan: string; readonly models: object }[] }>('/admin/matrix'),
    ask<{ readonly data: readonly { readonly pool: string }[] }>('/admin/pools'),
  ])
  return {
    plans: matrix.data.map(({ plan }) => plan),
    models: Object.keys(matrix.data[0]?.models ?? {}),
    pools: pools.data.map(({ pool }) => pool),
  }
}
