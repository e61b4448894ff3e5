import { setTimeout as sleep } from 'node:timers/promises'
import type { Account } from './client.ts'
import type { Gateway } from './fleet.ts'

/** Repeats it while the store is away. A busy machine may not answer in time; what it was asked for may have been done. */
export async function patiently<T>(run: (tries: number) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await run(tries)
    } catch (error) {
      if (tries === 50 || !String(error).includes('STORE_UNAVAILABLE')) throw error
      await sleep(100)
    }
  }
}

export async function revoke(gateway: Gateway, { key }: Account): Promise<void> {
  const { status, body } = await gateway.ask('POST', '/admin/keys/revoke', { key })
  if (status !== 200 && !body.includes('was revoked')) throw new Error(`not revoked: ${body}`)
}

/** How much gateways gave to servers that lacked it. */
export const repeatedBy = (gateways: readonly Gateway[]): number =>
  gateways
    .flatMap(({ alarms }) => alarms)
    .reduce((sum, line) => sum + Number(/has it again.*?(\d+)/.exec(line)?.[1] ?? 0), 0)
