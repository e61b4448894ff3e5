import type { EpochMs } from '../policy/config.ts'

/** A key as its owner sees it in the listing. */
export const ownKey = (
  {
    keyPrefix: key,
    status,
    createdAt,
  }: { readonly keyPrefix: string; readonly status: string; readonly createdAt: EpochMs },
  plan: string,
): object => ({ key, plan, status, created: Math.floor(createdAt / 1000) })
