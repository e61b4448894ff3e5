import { isIP } from 'node:net'
import pg from 'pg'
import { ArchiveUnavailable } from '../../../gateway/archive/archive.ts'
import type { Millis } from '../../../policy/config.ts'

/** How a database is reached. */
export interface Database {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly database: string
  /** `postgres://db.example:5432/warehouse` */
  readonly shown: string
  readonly isTls: boolean
  /** As they are at this moment: files may have new ones. */
  readonly secrets: () => DatabaseSecrets
}

export interface DatabaseSecrets {
  readonly password?: string
  /** As PEM. */
  readonly ca?: string
  readonly certificate?: string
  readonly key?: string
}

/** A few connections, opened when they are asked for. */
export class Connections {
  readonly #database: Database
  readonly #pool: pg.Pool

  constructor(database: Database) {
    this.#database = database
    const { host, port, user, database: name } = database
    this.#pool = new pg.Pool({
      ...{ host, port, user, database: name },
      // A function, so that a password that was changed is taken by the next connection. Without one none is looked for elsewhere.
      password: () => database.secrets().password ?? '',
      max: MOST,
      connectionTimeoutMillis: CONNECT_MS,
      idleTimeoutMillis: IDLE_MS,
      keepAlive: true,
      application_name: 'svc-gateway',
      // Nothing else bounds the wait for a server that is stopped.
      query_timeout: ANSWER_MS + CONNECT_MS,
      get ssl() {
        return database.isTls ? tlsOf(database) : false
      },
    })
    // An idle connection that fails is replaced when one is needed. On a connection in use the next statement rejects.
    this.#pool.on('error', () => {})
    this.#pool.on('connect', client => client.on('error', () => {}))
  }

  /** Runs statements in one transaction. Rejects with ArchiveUnavailable; whether a change had its effect is then unknown. */
  async transact<T>(kind: 'read' | 'write', run: (client: Ask) => Promise<T>): Promise<T> {
    let client: pg.PoolClient | undefined
    try {
      client = await this.#pool.connect()
      const ask = askOver(client)
      await ask(kind === 'read' ? 'BEGIN READ ONLY' : 'BEGIN')
      await ask(`SET LOCAL statement_timeout = ${ANSWER_MS}`)
      const done = await run(ask)
      await ask('COMMIT')
      client.release()
      return done
    } catch (error) {
      // Its transaction is open still, or it is gone.
      client?.release(true)
      throw unavailable(this.#database.shown, error)
    }
  }

  close(): Promise<void> {
    return this.#pool.end()
  }
}

/** Runs a statement, and resolves to the rows of its answer. */
export type Ask = <R extends object>(sql: string, values?: readonly unknown[]) => Promise<readonly R[]>

const askOver =
  (client: pg.PoolClient): Ask =>
  async <R extends object>(sql: string, values: readonly unknown[] = []) =>
    (await client.query<R & pg.QueryResultRow>(sql, [...values])).rows

function tlsOf({ host, secrets }: Database) {
  const { ca, certificate, key } = secrets()
  // An address is no name of a server, and is compared all the same.
  return {
    ...(isIP(host) === 0 && { servername: host }),
    ...(ca && { ca }),
    ...(certificate && { cert: certificate }),
    ...(key && { key }),
  }
}

function unavailable(shown: string, error: unknown): ArchiveUnavailable {
  if (error instanceof ArchiveUnavailable) return error
  return new ArchiveUnavailable(`${shown}: ${reasonOf(error)}`, { cause: error })
}

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && !error.message) return error.errors.map(reasonOf).join(', ')
  return error instanceof Error ? error.message : String(error)
}

/** True if PostgreSQL answered that the table does not exist. */
export const isTableMissing = (error: unknown): boolean =>
  error instanceof Error && error.cause instanceof Error && 'code' in error.cause && error.cause.code === '42P01'

/** One archives, and the others read. */
const MOST = 4
const CONNECT_MS: Millis = 5000
/** The time limit of one statement. */
const ANSWER_MS: Millis = 20_000
const IDLE_MS: Millis = 60_000
