import type { AllowanceAmend, AllowanceTake } from '../../gateway/pool-budget-store.ts'
import type { EpochMs, NanoUsd } from '../../policy/config.ts'
import type { Access } from './access.ts'
import { POOLS } from './layout.ts'

/** See Store.takeAllowance. What was taken after this was given up counts for its hour: nobody knows what came of it. */
export async function takeAllowance(
  access: Access,
  { pool, amount, limit }: AllowanceTake,
): Promise<EpochMs | undefined> {
  const keys = [access.layout.pools.allowance(pool)]
  const [outcome, at] = await access.script(POOLS, 'allowance', keys, ['take', amount, limit])
  return outcome === 'take' ? Number(at) : undefined
}

/** See Store.amendAllowance. */
export async function amendAllowance(access: Access, { pool, at, difference }: AllowanceAmend): Promise<void> {
  await access.script(POOLS, 'allowance', [access.layout.pools.allowance(pool)], ['amend', difference, at])
}

/** See Store.readAllowance. */
export async function readAllowance(access: Access, pool: string): Promise<NanoUsd> {
  const [, cost] = await access.script(POOLS, 'allowance', [access.layout.pools.allowance(pool)], ['read'])
  return Number(cost)
}
