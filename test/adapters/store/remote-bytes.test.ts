import { expect, it } from 'vitest'
import { openRemoteStore } from '../../../src/adapters/remote/remote-store.ts'
import { admission, granted, serveParts, VERSION } from './served-parts.ts'

const MB = 1_000_000
const bounds = { bytes: 100 * MB, responses: 100 }
const response = (id: string, bytes: number) => ({
  ...{ account: 'acct_a', id, items: [], keep: 1000 },
  sealed: Buffer.alloc(bytes),
})

/** What was said in this turn is on its way then, and none of it has arrived. */
const sent = () => new Promise<void>(resolve => process.nextTick(resolve))

/** A stream of records, and whether it was let go. */
function streamOf(items: readonly unknown[]) {
  const stream = { taken: 0, isOver: false, dump }
  async function* dump() {
    try {
      for (const item of items) {
        stream.taken++
        yield item
      }
    } finally {
      stream.isOver = true
    }
  }
  return stream
}

async function open(parts: object) {
  const served = await serveParts({ holds: { admit: async () => granted }, ...parts })
  const store = await openRemoteStore({ path: served.path, version: VERSION, lost: () => {}, answerMs: 10_000 })
  const close = async () => {
    await store.close()
    await served.server.close()
  }
  return { ...served, store, close }
}

it('requests are admitted while large responses are on their way to the store', async () => {
  const { store, close } = await open({ responses: { keep: async () => true } })
  const kept = [9, 16].map(megabytes => store.responses.keep(response(`resp_${megabytes}`, megabytes * MB), bounds))
  await sent()

  expect(await store.holds.admit(admission)).toMatchObject({ outcome: 'admitted' })

  expect(await Promise.all(kept)).toEqual([true, true])
  await close()
})

it('responses are refused while many megabytes of others wait for the store, and requests are not', async () => {
  const { store, close } = await open({ responses: { keep: async () => true } })
  const kept = Array.from({ length: 6 }, (_, n) =>
    store.responses.keep(response(`resp_${n}`, 15 * MB), bounds).then(String, error => String(error.message)),
  )
  await sent()

  expect(await store.holds.admit(admission)).toMatchObject({ outcome: 'admitted' })

  const refused = 'too many calls wait for the store'
  expect(await Promise.all(kept)).toEqual(['true', 'true', 'true', refused, refused, refused])
  await close()
})

it('a stream goes on while large responses are on their way to the store', async () => {
  const stream = streamOf(Array.from({ length: 600 }, (_, n) => ['label', { label: `${n}` }]))
  const { store, close } = await open({ dump: stream.dump, responses: { keep: async () => true } })
  const records = store.dump()[Symbol.asyncIterator]()
  let read = 0
  for (; read < 256; read++) await records.next()
  const kept = Array.from({ length: 6 }, (_, n) => store.responses.keep(response(`resp_${n}`, 16 * MB), bounds))
  const settled = Promise.allSettled(kept)
  await sent()

  while (!(await records.next()).done) read++

  expect({ read, isOver: stream.isOver }).toEqual({ read: 600, isOver: true })
  await settled
  await close()
})
