import { setTimeout as sleep } from 'node:timers/promises'
import { answer, type Exchange } from '../../support/backend.ts'

/** How many requests a backend has at once. One whose client is gone runs no more. */
export class Running {
  most = 0
  total = 0
  readonly #running = new Set<Exchange>()

  get now(): number {
    return this.#running.size
  }

  /** Answers a request after a while. */
  async serve(exchange: Exchange, pauseMs: number): Promise<void> {
    const { socket } = exchange.response
    const leave = () => void this.#running.delete(exchange)
    // This comes before what a new client sends; that the answer is closed comes later.
    socket?.once('end', leave).once('close', leave)
    this.#running.add(exchange)
    this.total++
    this.most = Math.max(this.most, this.#running.size)
    await sleep(pauseMs)
    // From here on the gateway may have its answer.
    leave()
    socket?.off('end', leave).off('close', leave)
    return answer({ content: 'Hi' })(exchange)
  }
}
