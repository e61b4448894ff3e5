import { setTimeout as sleep } from 'node:timers/promises'
import { type Account, ask } from './client.ts'
import type { Gateway } from './fleet.ts'

const GIVEN_UP_MS = 60_000

/** Resolves once it holds, asked every 50 ms; rejects when it does not in time. */
export async function until(withinMs: number, holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + withinMs
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`not within ${withinMs} ms: ${holds}`)
    await sleep(50)
  }
}

/** How long until a gateway serves, in ms. */
export async function served(gateway: Gateway, account: Account): Promise<number> {
  const start = performance.now()
  while ((await ask(gateway, { account })).status !== 200) {
    if (performance.now() - start > GIVEN_UP_MS) throw new Error('not served again within a minute')
    await sleep(20)
  }
  return performance.now() - start
}
