import type { Archive, ArchiveState } from '../../../gateway/archive/archive.ts'
import { ArchiveUnavailable } from '../../../gateway/archive/archive.ts'
import type { LeavingRow } from '../../../gateway/store/archive-store.ts'
import { type Ask, Connections, type Database, isTableMissing } from './connection.ts'
import { type LedgerTable, migration, SCHEMA, tableOf, versionSql } from './ledger-table.ts'
import { TableReads } from './table-reads.ts'
import { insertSql, jsonOf } from './table-rows.ts'

/** A table of a PostgreSQL database. Connects when there is something to write or to read. */
export class PostgresArchive implements Archive {
  readonly shown: string
  readonly reader: TableReads
  readonly #connections: Connections
  readonly #table: LedgerTable
  readonly #isTls: boolean
  #isMigrated = false

  constructor(database: Database, brand: string) {
    this.shown = database.shown
    this.#isTls = database.isTls
    this.#connections = new Connections(database)
    this.#table = tableOf(brand)
    this.reader = new TableReads(this.#connections, this.#table)
  }

  /** Rows that the table has are left alone, so that a repetition adds none. */
  async write(rows: readonly LeavingRow[]): Promise<void> {
    if (!this.#isMigrated) await this.#migrate()
    await this.#connections.transact('write', async ask => {
      await ask(DURABLE)
      await ask(insertSql(this.#table.rows), [jsonOf(rows)])
    })
  }

  async check(): Promise<ArchiveState> {
    const version = await this.#connections.transact('read', ask => versionOf(ask, this.#table)).catch(noTable)
    const [server] = await this.#connections.transact('read', ask =>
      ask<{ server_version: string }>('SHOW server_version'),
    )
    const about = `PostgreSQL ${server?.server_version.split(' ')[0] ?? ''}${this.#isTls ? ', TLS' : ''}`
    if (version === SCHEMA) {
      await this.#connections.transact('read', ask => this.#mayWrite(ask))
      return { about }
    }
    this.#refuseNewer(version)
    const { name } = this.#table
    return { about, plan: version === 0 ? `creates the table ${name}` : `adds columns to the table ${name}` }
  }

  async close(): Promise<void> {
    await this.#connections.close()
  }

  async #mayWrite(ask: Ask): Promise<void> {
    const { rows, name } = this.#table
    const [found] = await ask<{ may: boolean }>(
      "SELECT has_table_privilege($1, 'INSERT') AND has_table_privilege($1, 'SELECT') AS may",
      [rows],
    )
    if (!found?.may) throw new ArchiveUnavailable(`${this.shown}: the user may not insert into ${name}, or not read it`)
  }

  /** One gateway at a time; the others find the table as it has to be. */
  async #migrate(): Promise<void> {
    const table = this.#table
    const version = await this.#connections.transact('read', ask => versionOf(ask, table)).catch(noTable)
    if (version < SCHEMA)
      await this.#connections.transact('write', async ask => {
        await ask('SELECT pg_advisory_xact_lock(hashtext($1))', [table.name])
        await ask(`CREATE TABLE IF NOT EXISTS ${table.schema} (version integer NOT NULL)`)
        const from = await versionOf(ask, table)
        for (let at = from; at < SCHEMA; at++) for (const statement of migration(table, at)) await ask(statement)
        if (from < SCHEMA) await ask(versionSql(table))
      })
    this.#refuseNewer(version)
    this.#isMigrated = true
  }

  #refuseNewer(version: number): void {
    if (version > SCHEMA)
      throw new ArchiveUnavailable(
        `${this.shown}: ${this.#table.name} has schema ${version}, of a newer gateway; this one writes ${SCHEMA}`,
      )
  }
}

/** Rows leave the store only once they are on the server's disk, however the server is set up. */
const DURABLE = `SELECT set_config('synchronous_commit', 'on', true)
  WHERE current_setting('synchronous_commit') IN ('off', 'local')`

/** 0 where there is no table. */
async function versionOf(ask: Ask, { schema }: LedgerTable): Promise<number> {
  const [found] = await ask<{ version: number }>(`SELECT max(version) AS version FROM ${schema}`)
  return found?.version ?? 0
}

function noTable(error: unknown): number {
  if (isTableMissing(error)) return 0
  throw error
}
