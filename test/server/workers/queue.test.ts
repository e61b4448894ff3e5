import { expect, it, onTestFinished } from 'vitest'
import type { ShownExplained } from '../../../src/wire/admin/explained.ts'
import type { LedgerRecord } from '../../../src/wire/admin/ledger-record.ts'
import type { ShownPool } from '../../../src/wire/admin/pool.ts'
import { answer, startBackend } from '../../support/backend.ts'
import { eventually } from '../../support/eventually.ts'
import { startTree } from './tree.ts'
import { yamlOf } from './tree-yaml.ts'

const SLOTS = 4
const FLOOD = 120
const SMALL = 12

it('with 3 workers, a queue serves everybody who stays, runs no more than max_concurrent, leaks no slot, bills exactly, and explain says that it is full', async () => {
  const backend = await startBackend()
  onTestFinished(() => backend.close())
  let [running, most] = [0, 0]
  const served: string[] = []
  let release = () => {}
  const released = new Promise<void>(resolve => {
    release = resolve
  })
  backend.always(async exchange => {
    most = Math.max(most, ++running)
    served.push(String(exchange.seen.body.user ?? ''))
    await released
    await new Promise(resolve => setTimeout(resolve, 15))
    running--
    await answer({ content: 'Hi' })(exchange)
  })
  const pool = `max_concurrent: ${SLOTS}, queue: { max: 1000, of_account: 1000, timeout: 5m }`
  const tree = await startTree(3, yamlOf(backend.url, undefined, { pool }))
  onTestFinished(async () => void (await tree.end()))
  const flood = await tree.mint('pro', 'flood')
  const small = await Promise.all(Array.from({ length: SMALL }, (_, n) => tree.mint('pro', `small_${n}`)))

  // Main, which answers operators, has no request of its own.
  const first = Array.from({ length: SLOTS + 1 }, () => tree.chat(flood))
  await eventually(async () => {
    const { body } = await tree.ask('POST', '/admin/explain', { account: 'flood', model: 'svc-core' })
    const texts = (body as ShownExplained).stages.map(({ text }) => text)
    expect(texts).toContain('onprem is full now: 4 of 4 slots are in use, and 1 request waits; the queue takes 1000')
  })
  release()
  for (const response of await Promise.all(first)) expect((await response.text()).length).toBeGreaterThan(0)

  const left: AbortController[] = []
  const ask = async (key: string, leaves: boolean) => {
    const leave = new AbortController()
    if (leaves) left.push(leave)
    try {
      const response = await tree.chat(key, {}, leave.signal)
      await response.text()
      return response.status
    } catch {
      return 'left'
    }
  }
  const asked = Array.from({ length: FLOOD }, (_, n) => ask(flood, n % 3 === 2))
  const stays = small.map(key => ask(key, false))
  for (const leave of left) {
    leave.abort()
    await new Promise(setImmediate)
  }

  expect(await Promise.all(stays)).toEqual(Array(SMALL).fill(200))
  const outcomes = await Promise.all(asked)
  expect(outcomes.filter((_, n) => n % 3 !== 2)).toEqual(Array((FLOOD / 3) * 2).fill(200))
  expect(most).toBeLessThanOrEqual(SLOTS)
  await eventually(async () => {
    const { body } = await tree.ask('GET', '/admin/pools')
    const [shown] = (body as { data: readonly ShownPool[] }).data
    expect(shown).toMatchObject({ in_flight: 0, waiting: 0, queue: { max: 1000, by_priority: [] } })
  })
  await eventually(async () => {
    const quotas = await Promise.all([flood, ...small].map(key => quotaOf(tree.url, key)))
    expect(quotas.every(({ held }) => held === 0)).toBe(true)
    const { text } = await tree.ask('GET', '/admin/ledger')
    const rows = text
      .split('\n')
      .filter(Boolean)
      .map(line => JSON.parse(line) as LedgerRecord)
    const charged = rows.reduce((sum, { kind, cost_nano_usd }) => sum + (kind === 'settle' ? cost_nano_usd : 0), 0)
    expect(quotas.reduce((sum, { used }) => sum + Math.round(used * 1e9), 0)).toBe(charged)
  })
})

async function quotaOf(url: string, key: string): Promise<{ readonly used: number; readonly held: number }> {
  const response = await fetch(`${url}/billing/quota`, { headers: { authorization: `Bearer ${key}` } })
  return (await response.json()) as { used: number; held: number }
}
