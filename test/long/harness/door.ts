import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** A port that leads to another one; what replicas get through it may take its time. */
export class Door {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  to: number

  private constructor(server: Server, to: number) {
    this.#server = server
    this.to = to
  }

  /** `lagMs` is that of replicas alone. */
  static async open(to: number, lagMs: number): Promise<Door> {
    const server = createServer({ noDelay: true })
    const door = new Door(server, to)
    server.on('connection', near => door.#join(near, lagMs))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return door
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  drop(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  close(): void {
    this.#server.close()
    this.drop()
  }

  #join(near: Socket, lagMs: number): void {
    const far = connect({ port: this.to, host: '127.0.0.1', noDelay: true })
    let lag = 0
    let chunks = 0
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        this.#sockets.delete(socket)
        other.destroy()
      })
    }
    near.on('data', data => {
      if (++chunks <= GREETING && data.includes('PSYNC')) lag = lagMs
      far.write(data)
    })
    far.on('data', data => {
      if (lag === 0) near.write(data)
      else setTimeout(() => near.destroyed || near.write(data), lag)
    })
  }
}

/** A replica asks for the writes of its master within so many chunks. */
const GREETING = 20
