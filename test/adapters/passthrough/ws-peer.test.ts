import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { WsPeer } from '../../../src/adapters/passthrough/ws-peer.ts'

/** A socket whose other side reads nothing until it is let go. */
class SlowSocket extends EventEmitter {
  readonly readyState = WebSocket.OPEN
  readonly bufferedAmount = 0
  readonly waiting: (() => void)[] = []
  pause(): void {}
  resume(): void {}
  send(_bytes: Buffer, _options: object, sent: () => void): void {
    this.waiting.push(sent)
  }
}

it('empty messages that wait pause the other side, and drain once few are left', () => {
  const socket = new SlowSocket()
  const peer = new WsPeer(socket as unknown as WebSocket)
  let drained = 0
  peer.attach({ frame: () => {}, drained: () => drained++, closed: () => {} })
  const send = () => peer.send({ kind: 'text', bytes: Buffer.alloc(0) })

  let sent = 0
  while (send()) sent++
  expect(sent).toBe(1024)

  for (const done of socket.waiting.splice(0, 700)) done()
  expect(drained).toBe(0)
  for (const done of socket.waiting.splice(0)) done()
  expect(drained).toBe(1)
  expect(send()).toBe(true)
})
