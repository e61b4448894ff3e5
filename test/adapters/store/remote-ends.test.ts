import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { FRAME, METHODS, Outbox } from '../../../src/adapters/remote/protocol.ts'
import { openRemoteStore } from '../../../src/adapters/remote/remote-store.ts'
import { StoreServer } from '../../../src/adapters/remote/store-server.ts'
import type { Admission, Admitted } from '../../../src/gateway/store/hold-store.ts'
import type { Store } from '../../../src/gateway/store/store.ts'
import { newDirectory } from './directory.ts'
import { claimsOf } from './fixtures.ts'

const VERSION = '1.0.0'
const ADMIT = METHODS.findIndex(({ facet, name }) => facet === 'holds' && name === 'admit')

const admission: Admission = { requestId: 'req_1', account: 'acct_a', terms: { override: 'pro' }, claims: claimsOf() }
const readings = { requests: 1, tokens: 1, day: 1, concurrent: 1, used: 0, held: 0 }
const spent = { tokens: 0, cost: 0 }
const times = { second: 0, window: 0, at: 0, round: 0 }
const hold = { requestId: 'req_1', account: 'acct_a', ...times, output: 20, tokens: 30, cost: 50, spent }
const granted = { outcome: 'admitted', hold, readings } as unknown as Admitted

/** A server of a store of which only these parts are asked. */
async function serve(parts: object, endMs = 20) {
  const path = join(await newDirectory(), 'store.sock')
  const abandoned: string[] = []
  const alarms: string[] = []
  const server = new StoreServer({
    store: { accounts: { scanOrders: [] }, ...parts } as unknown as Store,
    abandon: async ids => void abandoned.push(...ids),
    version: VERSION,
    alarm: message => alarms.push(message),
    endMs,
  })
  await server.listen(path)
  return { path, server, abandoned, alarms }
}

/** A worker that has a request admitted, hears that, and never closes its side. */
async function hang(path: string): Promise<Socket> {
  const socket = connect({ path, allowHalfOpen: true })
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  const outbox = new Outbox(bytes => socket.write(bytes))
  outbox.put(FRAME.call, 0, writer => {
    writer.u8(ADMIT)
    METHODS[ADMIT]?.args[0]?.write(writer, admission)
  })
  await once(socket, 'data')
  return socket.pause()
}

it('a store closes without the worker that hangs, and ends what that held', async () => {
  const { path, server, abandoned } = await serve({ holds: { admit: async () => granted } })
  await hang(path)

  await server.close()

  expect(abandoned).toEqual(['req_1'])
})

it('an answer that cannot be sent is a failure of that call alone, with an alarm', async () => {
  const { path, server, alarms } = await serve({
    ledger: { readNewest: async () => 1n, readPast: async () => ['past'] },
  })
  const store = await openRemoteStore({ path, version: VERSION, lost: () => {} })

  await expect(store.ledger.readNewest({} as never)).rejects.toThrow('BigInt')

  expect(await store.ledger.readPast({} as never)).toEqual(['past'])
  expect(alarms).toEqual(['an answer of the store cannot be sent'])
  await store.close()
  await server.close()
})

it('a request whose admission cannot be told to its worker is not held', async () => {
  const broken = { ...granted, hold: { ...hold, account: undefined } }
  const { path, server, abandoned } = await serve({ holds: { admit: async () => broken } })
  const store = await openRemoteStore({ path, version: VERSION, lost: () => {}, answerMs: 5000 })

  await expect(store.holds.admit(admission)).rejects.toThrow()

  expect(abandoned).toEqual(['req_1'])
  await store.close()
  await server.close()
  expect(abandoned).toEqual(['req_1'])
})
