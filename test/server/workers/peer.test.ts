import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import type { Client } from '../../../src/server/workers/acceptor.ts'
import { type Channel, Peer } from '../../../src/server/workers/peer.ts'

/** A channel of which the test is the other end. */
class OtherEnd extends EventEmitter implements Channel {
  readonly connected = true
  readonly sent: unknown[] = []

  send(message: unknown): void {
    this.sent.push(message)
  }
}

it('a connection that is handed over answers no question, whatever its number is', async () => {
  const channel = new OtherEnd()
  const peer = new Peer<{ greet: () => string }>(channel, {})
  const answer = peer.ask('greet')
  expect(channel.sent).toEqual([{ ask: 'greet', number: 1, args: [] }])

  channel.emit('message', { client: '10.0.0.1', number: 1 } satisfies Client)
  channel.emit('message', { answer: 'hello', number: 1 })

  expect(await answer).toBe('hello')
})
