import { cellAt } from '../../../src/policy/limits/rule-counter.ts'
import type { ShownLimitUse } from '../../../src/wire/admin/limit-use.ts'
import { redisCommand } from '../../support/redis/command.ts'
import type { Books } from './books.ts'
import type { Account } from './client.ts'
import { patiently } from './failovers.ts'
import type { Gateway } from './fleet.ts'

/**
 * Which requests limits have to count, each once: those with a row, and those that Redis knows by a hold, which it keeps for five
 * minutes after its end. One script writes the hold and counts the request, so that a failover loses both or neither.
 */
export class Counted {
  /** Ids by their account, and of shares of limits that accounts share. */
  readonly #ids = new Map<string, Set<string>>()
  readonly #begun = Date.now()

  /** Has to come once in five minutes. `servers` are those that have the keys. */
  async look(servers: readonly { readonly url: string }[]): Promise<void> {
    for (const server of servers) {
      const found = (await redisCommand(server, 'EVAL', HOLDS, '0')) as readonly (readonly [string, string])[]
      for (const [name, account] of found) {
        const [, shared, id = ''] = NAME.exec(name) ?? []
        this.#of(shared ? SHARED : account).add(id)
      }
    }
  }

  /** Differences between the named limit of a day and rules of an hour. */
  async faults(gateway: Gateway, accounts: readonly Account[], { rows }: Books): Promise<string[]> {
    const faults: string[] = []
    for (const { account, plan } of accounts) {
      for (const { per, of, used } of await patiently(() => countsOf(gateway, account))) {
        if (this.#isOver(per)) {
          console.log(`the ${per} ended meanwhile: what it counted is not looked at`)
          continue
        }
        const isShared = of === 'plan'
        const held = this.#of(isShared ? SHARED : account)
        const sharing = isShared ? accounts.filter(each => each.plan === plan).map(each => each.account) : [account]
        const charged = rows.filter(row => sharing.includes(row.account)).map(row => row.request_id)
        const expected = new Set([...held, ...charged]).size
        if (Number(used) !== expected)
          faults.push(`${account} requests/${per} of ${of}: ${used} in place of ${expected}`)
      }
    }
    return faults
  }

  /** Counts begin anew with the hour, or the day. */
  #isOver(per: ShownLimitUse['per']): boolean {
    const cell = (at: number) => cellAt(per ?? undefined, at)
    return cell(Date.now()) !== cell(this.#begun)
  }

  #of(place: string): Set<string> {
    const ids = this.#ids.get(place) ?? new Set()
    this.#ids.set(place, ids)
    return ids
  }
}

/** As an operator sees them: of limits that accounts share, their people see nothing. */
async function countsOf(gateway: Gateway, account: string): Promise<readonly ShownLimitUse[]> {
  const { status, body } = await gateway.ask('GET', `/admin/accounts?account=${account}`)
  if (status !== 200) throw new Error(`the limits of ${account} cannot be read: ${body}`)
  const { limits } = JSON.parse(body) as { limits: readonly ShownLimitUse[] }
  const counts = limits.filter(({ measure, per }) => measure === 'requests' && (per === 'day' || per === 'hour'))
  if (counts.length < 2) throw new Error(`${account} has not both limits`)
  return counts
}

/** The names of all holds of a server, each with its account: two accounts may have one bucket. */
const HOLDS = `
  local found = {}
  for _, name in ipairs(redis.call('KEYS', 'svc:{*}:*hold:*')) do
    found[#found + 1] = { name, redis.call('HGET', name, 'account') or '' }
  end
  return found`
const NAME = /^svc:\{..\}:(shared-)?hold:(.*)$/
/** In place of an account. */
const SHARED = 'shared'
