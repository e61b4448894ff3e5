import { type Place, type RedisAddress, readAddress } from '../address.ts'
import { type Link, openLink, type Server } from '../client.ts'
import { Sentinels } from './sentinels.ts'

/** Opens connections to the primary of a store, wherever it is at that moment, or to one server of several. */
export class Dialer {
  readonly #address: RedisAddress
  readonly #server: Server
  readonly #owners: string
  readonly #sentinels: Sentinels | undefined
  readonly #place: Place | undefined

  constructor(server: Server, owners: string, place?: Place) {
    this.#place = place
    this.#address = readAddress(server.url)
    this.#server = server
    this.#owners = owners
    if (this.#address.primary !== undefined) this.#sentinels = new Sentinels(server, this.#address)
  }

  /** Whether the primary may become another server. */
  get isMoving(): boolean {
    return this.#sentinels !== undefined
  }

  /** Rejects where no sentinel knows it. */
  async findPrimary(): Promise<Place> {
    const only = this.#place ?? this.#address.places[0]
    const place = this.#sentinels ? await this.#sentinels.findPrimary() : only
    if (!place) throw new Error('the address of the store names no server')
    return place
  }

  /** Names are resolved anew. `lost` is called once when the connection ends by itself. */
  async dial(lost: (error: Error) => void): Promise<Link> {
    const { credentials, database, isTls } = this.#address
    const { tls } = this.#server
    const place = await this.findPrimary()
    const who = {
      ...(credentials && { credentials }),
      ...(database !== undefined && { database }),
      ...(tls && { tls }),
    }
    return openLink({ place, isTls, ...who }, this.#owners, lost)
  }

  /** Signs a connection in as this address says, without an interruption. */
  signIn({ client }: Link): void {
    const { credentials } = this.#address
    // A server that no longer accepts them ends this connection itself; a new one has them anyway.
    if (client.isReady && credentials) client.auth(credentials).catch(() => {})
  }

  close(): void {
    this.#sentinels?.close()
  }
}
