import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { LedgerRecord } from '../../src/wire/admin/ledger-record.ts'
import { startBackend } from '../support/backend.ts'
import { selfSigned } from '../support/certificate.ts'
import { eventually } from '../support/eventually.ts'
import { describeRedis } from '../support/redis/redis.ts'
import { startSentinels } from '../support/redis/sentinels.ts'
import { askOnce, brief } from './workers/kills-in-turn.ts'
import { startTree, type Tree } from './workers/tree.ts'
import { yamlOf } from './workers/tree-yaml.ts'

const CLIENTS = 6
const LONG = { timeout: 120_000, interval: 100 }

/** Clients that ask until they are stopped, and the ids of whole answers. */
function askOn(tree: Tree, key: string) {
  const served: string[] = []
  const failed = new Set<string>()
  let isOver = false
  const ask = async (stream: boolean) => {
    while (!isOver) {
      const { id, end } = await askOnce(tree, key, stream)
      if (end === 'whole') served.push(id)
      else failed.add(end)
    }
  }
  const running = Array.from({ length: CLIENTS }, (_, number) => ask(number % 2 === 0))
  const stop = async () => {
    isOver = true
    await Promise.all(running)
  }
  return { served, failed, stop }
}

describeRedis('a gateway whose Redis and sentinels speak TLS alone', () => {
  it('serves on after a failover, refuses with 503 meanwhile, and has a row of each answer', async () => {
    const certificate = selfSigned()
    const site = await startSentinels({ certificate, flags: { 'min-replicas-to-write': '0' } })
    const backend = await startBackend()
    backend.always(brief)
    onTestFinished(() => backend.close())
    const yaml = yamlOf(backend.url, () => site.url)
    const tree = await startTree(1, directory => {
      writeFileSync(join(directory, 'cert.pem'), certificate.cert)
      writeFileSync(join(directory, 'key.pem'), certificate.key)
      return `${yaml(directory)}redis: { ca: "file:cert.pem", certificate: "file:cert.pem", key: "file:key.pem" }\n`
    })
    onTestFinished(async () => void (await tree.end()))
    const clients = askOn(tree, await eventually(() => tree.mint('pro', 'ada'), LONG))
    await eventually(() => expect(clients.served.length).toBeGreaterThan(20 * CLIENTS), LONG)

    await site.primary.kill()
    await site.failedOver()

    const before = clients.served.length
    await eventually(() => expect(clients.served.length).toBeGreaterThan(before + 20 * CLIENTS), LONG)
    await clients.stop()
    expect([...clients.failed].filter(end => end !== '503 STORE_UNAVAILABLE')).toEqual([])
    await eventually(async () => {
      const rows = (await tree.ask('GET', '/admin/ledger')).text.split('\n')
      const settled = rows.flatMap(line => (line === '' ? [] : [(JSON.parse(line) as LedgerRecord).request_id]))
      expect(new Set(settled).size).toBe(settled.length)
      expect(clients.served.filter(id => !settled.includes(id))).toEqual([])
    })
  }, 300_000)
})
