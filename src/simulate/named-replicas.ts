import { suggestion } from '../config/model/suggest.ts'
import { entriesOf, isText, type Node, nodeAt } from '../config/model/tree.ts'
import type { Report } from '../config/problem.ts'
import type { Balance } from '../policy/balance/prompt-sketch.ts'
import type { Config, Pool } from '../policy/config.ts'
import { counted } from '../policy/counted.ts'
import { isMatcher } from './expectations.ts'

const BALANCES: readonly string[] = ['prefix', 'session', 'busy'] satisfies readonly Balance[]

/** Reports an unknown `balance`, and a `replica` that no pool has, or not the pool that is expected to answer. */
export function checkReplica(expect: Node | undefined, { pools }: Config, report: Report): void {
  const refuse: Refuse = (at, rule, message, hint) => report({ ...at.span, rule, severity: 'error', message, hint })
  const balance = expect && nodeAt(expect, ['balance'])
  if (isText(balance) && !isMatcher(balance.value) && !BALANCES.includes(balance.value))
    refuse(balance, 'unknown-balance', `no such balance \`${balance.value}\``, suggestion(balance.value, BALANCES))
  const replica = expect && nodeAt(expect, ['replica'])
  const server = expect && nodeAt(expect, ['served_by'])
  if (replica) checkAmong(replica, isText(server) ? pools.get(server.value) : undefined, [...pools.values()], refuse)
}

type Refuse = (at: Node, rule: string, message: string, hint: string) => void

function checkAmong(replica: Node, named: Pool | undefined, all: readonly Pool[], refuse: Refuse): void {
  const among = named ? [named] : all
  const unknown = (text: string, hint: string) => {
    const message = named ? `pool \`${named.name}\` has no replica ${text}` : `no pool has a replica ${text}`
    refuse(replica, 'unknown-replica', message, hint)
  }
  if (isText(replica)) {
    const urls = among.flatMap(({ replicas }) => replicas)
    if (isMatcher(replica.value) || urls.includes(replica.value)) return
    unknown(`\`${replica.value}\``, suggestion(replica.value, urls))
  } else if (replica.is === 'scalar' && typeof replica.value === 'number') {
    const most = Math.max(0, ...among.map(({ replicas }) => replicas.length))
    if (Number.isInteger(replica.value) && replica.value >= 1 && replica.value <= most) return
    unknown(String(replica.value), `write a number from 1 to ${most}, or a URL`)
  }
}

/** Reports given replicas beyond those that a pool has. */
export function checkGivenReplicas(situation: Node | undefined, { pools }: Config, report: Report): void {
  for (const [name, { value }] of entriesOf(situation && nodeAt(situation, ['pools']))) {
    const most = pools.get(name)?.replicas.length
    const given = nodeAt(value, ['replicas'])
    const first = given?.is === 'list' && most !== undefined ? given.items[most] : undefined
    if (!first || most === undefined || given?.is !== 'list') continue
    const message = `pool \`${name}\` has ${counted(most, 'replica')}, and ${given.items.length} are given`
    report({ ...first.span, rule: 'unknown-replica', severity: 'error', message, hint: 'remove this one' })
  }
}
