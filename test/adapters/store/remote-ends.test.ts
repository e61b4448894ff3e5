import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { FRAME, METHODS, Outbox } from '../../../src/adapters/remote/protocol.ts'
import { openRemoteStore } from '../../../src/adapters/remote/store.ts'
import { ADMIT, admission, granted, hold, serveParts, VERSION } from './served-parts.ts'

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
  const { path, server, abandoned } = await serveParts({ holds: { admit: async () => granted } })
  await hang(path)

  await server.close()

  expect(abandoned).toEqual(['req_1'])
})

it('an answer that cannot be sent is a failure of that call alone, with an alarm', async () => {
  const { path, server, alarms } = await serveParts({
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
  const { path, server, abandoned } = await serveParts({ holds: { admit: async () => broken } })
  const store = await openRemoteStore({ path, version: VERSION, lost: () => {}, answerMs: 5000 })

  await expect(store.holds.admit(admission)).rejects.toThrow()

  expect(abandoned).toEqual(['req_1'])
  await store.close()
  await server.close()
  expect(abandoned).toEqual(['req_1'])
})
