import { expect, it, onTestFinished } from 'vitest'
import { PostgresArchive } from '../../../src/adapters/archives/postgres/archive.ts'
import { Connections } from '../../../src/adapters/archives/postgres/connection.ts'
import { schemaSql } from '../../../src/adapters/archives/postgres/ledger-table.ts'
import { ArchiveUnavailable } from '../../../src/gateway/archive/archive.ts'
import { nanoUsd } from '../../../src/policy/nano-usd.ts'
import type { LedgerRow } from '../../../src/records/ledger-row.ts'
import { selfSigned } from '../../support/certificate.ts'
import { describePostgres, usePostgres } from '../../support/postgres.ts'
import { NOON } from '../store/fixtures.ts'
import { fullRowAt, leavingAt } from './rows.ts'

const MINUTE_MS = 60_000

async function rowsIn(rows: AsyncIterable<LedgerRow>): Promise<LedgerRow[]> {
  const all: LedgerRow[] = []
  for await (const row of rows) all.push(row)
  return all
}

describePostgres('an archive in PostgreSQL', () => {
  const server = usePostgres()

  async function open(database?: string, user = 'owner', password = 'secret') {
    const { port, createDatabase } = server()
    const name = database ?? (await createDatabase())
    const shown = `postgres://127.0.0.1:${port}/${name}`
    const archive = new PostgresArchive(
      { host: '127.0.0.1', port, user, database: name, shown, isTls: false, secrets: () => ({ password }) },
      'svc',
    )
    onTestFinished(() => archive.close())
    return { archive, name }
  }

  it('has no rows before the first ones come, and says what it would do', async () => {
    const { archive } = await open()

    expect(await rowsIn(archive.reader.readRows({}, {}))).toEqual([])
    expect(await archive.reader.readPast({ since: 0, limit: 5 }, {})).toEqual({ requests: [] })
    expect(await archive.check()).toEqual({
      about: expect.stringMatching(/^PostgreSQL \d+\.\d+$/),
      plan: 'creates the table svc_ledger',
    })
  })

  it('gives rows back as they were, whatever they have, and has none twice however often it is given them', async () => {
    const { archive } = await open()
    const late = leavingAt(NOON, { kind: 'orphan' })
    const rows = [
      late,
      leavingAt(NOON, { ...late.row, kind: 'late', cost: nanoUsd(-3) }),
      leavingAt(NOON, { ...late.row, kind: 'waste', cause: 'status 500: “no”\n' }, 1),
      leavingAt(NOON, { ...late.row, kind: 'waste', cause: 'status 500: “no”\n' }, 2),
      fullRowAt(NOON + 1),
    ]

    await archive.write(rows)
    await archive.write(rows.slice(2))
    await archive.write([...rows, leavingAt(NOON + 2)])

    const found = await rowsIn(archive.reader.readRows({}, {}))
    expect(found.slice(0, 5)).toEqual(rows.map(({ row }) => row))
    expect(found).toHaveLength(6)
    expect(await archive.reader.readRequest(late.row.requestId)).toEqual(rows.slice(0, 4).map(({ row }) => row))
    expect((await archive.check()).plan).toBeUndefined()
  })

  it('takes a name that no text of PostgreSQL can have, so that the rows behind it need not wait', async () => {
    const { archive } = await open()
    await archive.write([leavingAt(NOON, { asked: 'a\0b\ud800' })])

    expect(await rowsIn(archive.reader.readRows({}, {}))).toMatchObject([{ asked: 'a\ufffdb\ufffd' }])
  })

  it('finds requests by account, key, model, pool, length, failure and time, page after page, none twice', async () => {
    const { archive } = await open()
    const rows = Array.from({ length: 60 }, (_, number) => {
      const at = NOON + number * MINUTE_MS
      const row = {
        account: `acct_${number % 3}`,
        key: `key_${number % 5}`,
        model: `model-${number % 2}`,
        settledAt: at + (number % 10) * 1000,
      }
      const own = leavingAt(at, row)
      const failed = leavingAt(at, { ...own.row, kind: 'waste', pool: 'far', cause: 'status 500' }, 1)
      if (number % 10 === 9) return [failed]
      const copy = leavingAt(at, { ...own.row, kind: 'waste', mirror: { to: 'new' }, settledAt: at + MINUTE_MS }, 2)
      return [own, ...(number % 4 === 0 ? [failed] : []), ...(number % 6 === 0 ? [copy] : [])]
    })
    await archive.write(rows.flat())
    const all = rows.map(request => request.map(({ row }) => row)).reverse()
    const find = async (query: Partial<Parameters<typeof archive.reader.readPast>[0]>) => {
      const found: (readonly LedgerRow[])[] = []
      for (let before: string | undefined; ; ) {
        const page = await archive.reader.readPast(
          { since: 0, limit: 7, ...query, ...(before !== undefined && { before }) },
          {},
        )
        found.push(...page.requests)
        if (page.next === undefined) return found
        before = page.next
      }
    }
    const some = (keep: (rows: readonly LedgerRow[]) => boolean) => all.filter(keep)

    expect(await find({})).toEqual(all)
    expect(await find({ account: 'acct_1' })).toEqual(some(([row]) => row?.account === 'acct_1'))
    expect(await find({ key: 'key_3', model: 'model-1' })).toEqual(
      some(([row]) => row?.key === 'key_3' && row.model === 'model-1'),
    )
    expect(await find({ pool: 'far' })).toEqual(some(request => request.some(({ pool }) => pool === 'far')))
    expect(await find({ slow: 7000 })).toEqual(some(([row]) => (row?.settledAt ?? 0) - (row?.admittedAt ?? 0) >= 7000))
    expect(await find({ copied: true })).toEqual(some(request => request.some(({ mirror }) => mirror !== undefined)))
    expect(await find({ failed: true })).toEqual(some(request => request.every(({ kind }) => kind === 'waste')))
    expect(await find({ since: NOON + 5 * MINUTE_MS, until: NOON + 9 * MINUTE_MS })).toEqual(
      some(([row]) => {
        const minute = ((row?.admittedAt ?? 0) - NOON) / MINUTE_MS
        return minute >= 5 && minute < 9
      }),
    )
    const newest = await archive.reader.readNewest({ account: 'acct_0', limit: 3 }, {})
    expect(newest).toEqual(
      some(([row]) => row?.account === 'acct_0' && row.kind !== 'waste')
        .slice(0, 4)
        .map(([row]) => row),
    )
  })

  it('two gateways that begin at once make one table, and a newer one is left alone', async () => {
    const { archive, name } = await open()
    const { archive: other } = await open(name)
    const row = leavingAt(NOON)
    await Promise.all([archive.write([row]), other.write([row])])
    expect(await rowsIn(other.reader.readRows({}, {}))).toEqual([row.row])

    const client = server()
    await client.query('UPDATE svc_ledger_schema SET version = 4', [], name)
    const { archive: older } = await open(name)
    await expect(older.write([leavingAt(NOON)])).rejects.toThrow('schema 4, of a newer gateway; this one writes 3')
  })

  it('a table of an older gateway is read as it is, and has the charges of rows from the first write on', async () => {
    const { archive, name } = await open()
    const { query } = server()
    const [older, newer] = [leavingAt(NOON), fullRowAt(NOON + 1)]
    await archive.write([older])
    await query('ALTER TABLE svc_ledger DROP COLUMN charges', [], name)
    await query('UPDATE svc_ledger_schema SET version = 1', [], name)

    const { archive: upgraded } = await open(name)
    expect(await rowsIn(upgraded.reader.readRows({}, {}))).toEqual([older.row])
    expect((await upgraded.check()).plan).toBe('adds columns to the table svc_ledger')
    await upgraded.write([newer])
    expect(await rowsIn(upgraded.reader.readRows({}, {}))).toEqual([older.row, newer.row])
  })

  it('a user who may not make tables writes into one that its owner made by the printed SQL', async () => {
    const name = await server().createDatabase()
    const { query } = server()
    await query("CREATE USER gateway PASSWORD 'own'")
    const { archive } = await open(name, 'gateway', 'own')
    await query('REVOKE CREATE ON SCHEMA public FROM PUBLIC', [], name)
    await expect(archive.write([leavingAt(NOON)])).rejects.toThrow('permission denied for schema public')

    await query(schemaSql('svc'), [], name)
    await expect(archive.check()).rejects.toThrow('permission denied')
    await query('GRANT SELECT, INSERT ON svc_ledger TO gateway', [], name)
    await query('GRANT SELECT ON svc_ledger_schema TO gateway', [], name)
    await archive.write([leavingAt(NOON)])
    expect(await rowsIn(archive.reader.readRows({}, {}))).toHaveLength(1)
  })

  it('a server that ends a connection between two statements is an archive that is away, and no more', async () => {
    const { port, query } = server()
    const place = { host: '127.0.0.1', port, user: 'owner', database: 'postgres', shown: 'archive', isTls: false }
    const connections = new Connections({ ...place, secrets: () => ({ password: 'secret' }) })
    onTestFinished(() => connections.close())
    const interrupted = connections.transact('write', async ask => {
      const [own] = await ask<{ pid: number }>('SELECT pg_backend_pid() AS pid')
      await query('SELECT pg_terminate_backend($1, 5000)', [own?.pid])
      // The end is read with what else comes from the network.
      await new Promise(resolve => setImmediate(() => setImmediate(resolve)))
      await ask('SELECT 1')
    })

    await expect(interrupted).rejects.toThrow(ArchiveUnavailable)
    expect(await connections.transact('read', ask => ask('SELECT 1 AS one'))).toEqual([{ one: 1 }])
  })

  it('says what is wrong, and never the password', async () => {
    const { archive } = await open('nowhere', 'owner', 'wrong-secret')
    const error = await archive.check().catch(String)
    expect(error).toContain('password authentication failed for user "owner"')
    expect(error).not.toContain('wrong-secret')
  })
})

describePostgres('an archive in PostgreSQL with TLS', () => {
  const { cert, key } = selfSigned()
  const server = usePostgres({ certificate: cert, key })

  function open(host: string, secrets: Readonly<Record<string, string>>, isTls = true) {
    const place = { host, port: server().port, user: 'owner', database: 'postgres', shown: 'archive' }
    const archive = new PostgresArchive({ ...place, isTls, secrets: () => ({ password: 'secret', ...secrets }) }, 'svc')
    onTestFinished(() => archive.close())
    return archive
  }

  it('is written to where its certificate is signed by the authority that the files name, and of its name', async () => {
    const archive = open('127.0.0.1', { ca: cert })
    await archive.write([leavingAt(NOON)])
    expect((await archive.check()).about).toMatch(/^PostgreSQL \d+\.\d+, TLS$/)
    await expect(open('127.0.0.1', {}).check()).rejects.toThrow('self-signed certificate')
    await expect(open('localhost', { ca: cert }).check()).rejects.toThrow("does not match certificate's altnames")
    await expect(open('127.0.0.1', {}, false).check()).rejects.toThrow('no encryption')
  })
})
