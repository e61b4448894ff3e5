import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { readAddress } from '../../../../src/adapters/redis/address.ts'
import { Sentinels } from '../../../../src/adapters/redis/servers/sentinels.ts'
import { VirtualClock } from '../../../support/clock.ts'

/** The first answer is waited for so long, and the others so much longer. */
const FIRST = 2000
const OTHERS = 500
const turnOf = (time: number) => time / 8

/** A sentinel that answers when the test wants. */
interface Sentinel {
  readonly port: number
  /** Resolves once it was asked. */
  readonly asked: Promise<unknown>
  /** Names a primary, by its port, of a failover. */
  answer(primary: number, epoch: number): void
}

async function sentinel(): Promise<Sentinel> {
  const sockets: Socket[] = []
  let isAsked = () => {}
  const asked = new Promise<void>(resolve => {
    isAsked = resolve
  })
  const server = createServer(socket => {
    sockets.push(socket)
    socket.on('error', () => {}).on('data', isAsked)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('it listens on a port')
  const answer = (primary: number, epoch: number) => {
    const words = ['ip', '127.0.0.1', 'port', String(primary), 'config-epoch', String(epoch)]
    const bulks = words.map(word => `$${word.length}\r\n${word}\r\n`).join('')
    for (const socket of sockets) socket.write(`*${words.length}\r\n${bulks}`)
  }
  return { port: address.port, asked, answer }
}

async function asking(count: number) {
  const all = await Promise.all(Array.from({ length: count }, sentinel))
  const url = `redis+sentinel://${all.map(({ port }) => `127.0.0.1:${port}`).join(',')}/main`
  const clock = new VirtualClock(0)
  const sentinels = new Sentinels({ url }, readAddress(url), clock.after)
  onTestFinished(() => sentinels.close())
  const found = sentinels.findPrimary()
  // A rejection is looked at later.
  found.catch(() => {})
  await Promise.all(all.map(({ asked }) => asked))
  return { all, clock, found }
}

it('a sentinel that answers late is believed where no other one answers', async () => {
  const { all, clock, found } = await asking(2)

  clock.advance(FIRST - 1)
  all[0]?.answer(7001, 1)
  await clock.waits(turnOf(OTHERS))
  clock.advance(OTHERS)

  expect(await found).toEqual({ host: '127.0.0.1', port: 7001 })
})

it('a sentinel that hangs delays what another one knows by half a second', async () => {
  const { all, clock, found } = await asking(2)
  all[0]?.answer(7001, 1)

  await clock.waits(turnOf(OTHERS))
  clock.advance(OTHERS)

  expect(await found).toEqual({ host: '127.0.0.1', port: 7001 })
})

it('sentinels that answer after the first one are believed where they know a younger failover', async () => {
  const { all, clock, found } = await asking(3)
  all[0]?.answer(7001, 1)
  await clock.waits(turnOf(OTHERS))

  all[1]?.answer(7003, 3)
  all[2]?.answer(7002, 2)

  expect(await found).toEqual({ host: '127.0.0.1', port: 7003 })
})

it('nobody knows the primary where all sentinels are silent for two seconds', async () => {
  const { clock, found } = await asking(2)

  clock.advance(FIRST)

  await expect(found).rejects.toThrow(/no sentinel knows where main is: no answer within 2000 ms/)
})
