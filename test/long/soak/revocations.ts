import { setTimeout as sleep } from 'node:timers/promises'
import { type Account, ask, type Outcome } from '../harness/client.ts'
import { patiently, revoke } from '../harness/failovers.ts'
import type { Fleet } from '../harness/fleet.ts'

/** Keys that are minted, served, revoked and asked for again, one after the other. */
export class Revocations {
  readonly revoked: Account[] = []
  readonly outcomes: Outcome[] = []
  /** Keys that were served after their revocation was answered without a warning. */
  readonly late: string[] = []
  /** Those that could not be minted or revoked, since Redis was away. */
  failed = 0
  readonly #fleet: Fleet

  constructor(fleet: Fleet) {
    this.#fleet = fleet
  }

  async next(n: number): Promise<void> {
    const { first, gateways } = this.#fleet
    const before = first.alarms.length
    const account = await this.#revoked(n)
    if (!account) return
    const isWarned = first.alarms.slice(before).some(line => line.includes(WARNING))
    if (!isWarned) this.revoked.push(account)
    const after = await Promise.all([...gateways, ...gateways, ...gateways].map(each => ask(each, { account })))
    this.outcomes.push(...after)
    if (!isWarned && after.some(({ status }) => status === 200)) this.late.push(account.label)
  }

  /** Those that a gateway serves now. */
  async served(): Promise<string[]> {
    const found: string[] = []
    for (const account of this.revoked) {
      const status = await this.#statusOf(account)
      if (status !== 401) found.push(`${account.label} ${status}`)
      await sleep(2)
    }
    return found
  }

  /** A gateway's status for a key, once it reaches the store. */
  async #statusOf(account: Account): Promise<number> {
    for (let tries = 1; ; tries++) {
      const { status, code } = await ask(this.#fleet.first, { account })
      if (code !== 'STORE_UNAVAILABLE' || tries === 50) return status
      await sleep(100)
    }
  }

  async #revoked(n: number): Promise<Account | undefined> {
    const { first, gateways } = this.#fleet
    try {
      const account = await patiently(tries => this.#fleet.mint(`leaver-${n}-${tries}`, 'pro'))
      this.outcomes.push(...(await Promise.all(gateways.map(each => ask(each, { account })))))
      await patiently(() => revoke(first, account))
      return account
    } catch (error) {
      if (!String(error).includes('STORE_UNAVAILABLE')) throw error
      this.failed++
      return undefined
    }
  }
}

const WARNING = 'no replica of Redis has the last change'
