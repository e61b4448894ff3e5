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
  for (;;) {
    const { status, code } = await ask(gateway, { account })
    if (status === 200) return performance.now() - start
    if (performance.now() - start > GIVEN_UP_MS)
      throw new Error(`${account.label} is not served again within a minute: ${status} ${code}`)
    await sleep(20)
  }
}
