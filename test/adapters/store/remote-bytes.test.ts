import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { FRAME, framesOf, METHODS, Outbox } from '../../../src/adapters/remote/protocol.ts'
import { openRemoteStore } from '../../../src/adapters/remote/store.ts'
import { DONE } from '../../../src/adapters/remote/store-link.ts'
import { admission, granted, serveParts, VERSION } from './served-parts.ts'

const MB = 1_000_000
const bounds = { bytes: 100 * MB, responses: 100, total: 1000 * MB }
const response = (id: string, bytes: number) => ({
  ...{ account: 'acct_a', id, items: [], keep: 1000 },
  sealed: Buffer.alloc(bytes),
})

/** Messages of this turn are on their way then, and none has arrived. */
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

/** The pages in which a store dumps its records. */
async function pagesFrom(path: string): Promise<readonly (readonly unknown[])[]> {
  const number = METHODS.findIndex(({ name }) => name === 'dump')
  const socket = connect(path)
  const outbox = new Outbox(bytes => socket.write(bytes))
  const pages: (readonly unknown[])[] = []
  await new Promise<void>(resolve => {
    const take = framesOf((_kind, _call, reader) => {
      const stream = reader.u32()
      pages.push(METHODS[number]?.answer.read(reader) as readonly unknown[])
      if (stream === DONE) resolve()
      else outbox.put(FRAME.more, 0, writer => writer.u32(stream))
    })
    socket.on('data', take)
    outbox.put(FRAME.call, 0, writer => writer.u8(number))
  })
  socket.destroy()
  return pages
}

const records = (count: number, bytes: number) => {
  const sealed = 'x'.repeat(bytes)
  return Array.from({ length: count }, (_, n) => ['response', { id: `resp_${n}`, sealed }] as const)
}

it('a store sends the records of a backup in pages that end where they have many bytes, or many records', async () => {
  const all = [...records(300, 100), ...records(20, 50_000), ...records(20, MB), ...records(2, 8 * MB)]
  const { path, close } = await open({ dump: streamOf(all).dump })

  const pages = await pagesFrom(path)

  const bytesBeforeLast = pages.map(page => JSON.stringify(page.slice(0, -1)).length)
  expect(Math.max(...bytesBeforeLast)).toBeLessThan(300_000)
  expect(Math.max(...pages.map(page => page.length))).toBe(256)
  expect(pages.flat()).toEqual(all)
  await close()
})

it('a request is admitted between two large records of a backup', async () => {
  const all = records(256, MB)
  const stream = streamOf(all)
  const { store, close } = await open({ dump: stream.dump })
  const reading = store.dump()[Symbol.asyncIterator]()
  const first = reading.next()

  expect(await store.holds.admit(admission)).toMatchObject({ outcome: 'admitted' })

  expect(stream.taken).toBeLessThan(8)
  expect((await first).value).toEqual(all[0])
  await reading.return?.()
  await close()
})

it('records of many megabytes come as they are', async () => {
  const all = records(3, 8 * MB)
  const { store, close } = await open({ dump: streamOf(all).dump })
  const read: unknown[] = []

  for await (const record of store.dump()) read.push(record)

  expect(read).toEqual(all)
  await close()
})

it('a list of accounts that ends at its first page has the store read no more of them', async () => {
  const pages = Array.from({ length: 256 }, (_, page) => [{ account: `acct_${page}` }])
  const stream = streamOf(pages)
  const { store, close } = await open({ accounts: { scanOrders: [], scan: stream.dump } })

  for await (const page of store.accounts.scan()) {
    expect(page).toEqual(pages[0])
    break
  }

  // Calls after the end of a stream are answered once it has ended.
  await store.holds.admit(admission)
  expect({ taken: stream.taken, isOver: stream.isOver }).toEqual({ taken: 1, isOver: true })
  await close()
})

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
