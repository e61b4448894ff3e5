import { afterAll, beforeAll, expect, it } from 'vitest'
import { blocksOf } from '../../docs/page.ts'
import { describePostgres, usePostgres } from '../../support/postgres.ts'
import { compileProgram, type Program } from '../program.ts'
import { filesOf, yamlOf } from '../site.ts'

let program: Program
beforeAll(() => {
  program = compileProgram()
})
afterAll(() => program.end())

describePostgres('the owner of a database of PostgreSQL', () => {
  const server = usePostgres()

  it('makes the table by the commands of docs/archive.md, and lets the role of the gateway read and add rows alone', async () => {
    const { port, query, createDatabase } = server()
    const name = await createDatabase()
    await query('CREATE USER svc')
    const page = blocksOf('docs/archive.md').find(({ text }) => text.startsWith('$ svcctl archive schema'))?.text ?? ''
    const commands = page.replace(/^\$ /gm, '').replaceAll('psql warehouse', `psql -v ON_ERROR_STOP=1 ${name}`)
    const env = { PGHOST: '127.0.0.1', PGPORT: String(port), PGUSER: 'owner', PGPASSWORD: 'secret' }

    const svcctl = `set -e -o pipefail\nsvcctl() { ${process.execPath} ${program.main} "$@"; }`
    const to = `ledger: { archive: { to: "postgres://svc@127.0.0.1:${port}/${name}" } }\n`
    const cwd = filesOf({ 'config.yaml': `${yamlOf('http://127.0.0.1:9/v1')}${to}` })
    const ran = await program.shell(`${svcctl}\n${commands}`, { cwd, env })

    expect(`${ran.code} ${ran.stderr}`).toBe('0 ')
    const may = (right: string, table = 'svc_ledger') =>
      query<{ may: boolean }>('SELECT has_table_privilege($1, $2, $3) AS may', ['svc', table, right], name)
    const rights = [
      ...['SELECT', 'INSERT', 'UPDATE', 'DELETE'].map(right => may(right)),
      may('SELECT', 'svc_ledger_schema'),
    ]
    expect((await Promise.all(rights)).map(([row]) => row?.may)).toEqual([true, true, false, false, true])
  })
})
