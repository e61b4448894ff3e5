import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { walkPages } from '../../../src/adapters/embedded/check/page-walk.ts'
import { startBackend } from '../../support/backend.ts'
import { compileProgram } from '../program.ts'
import { filesOf, startSite, yamlOf } from '../site.ts'

const program = compileProgram()
afterAll(() => program.end())

const PAGE = 4096

/** A store of which a gateway served, and what svcctl says of it. */
async function servedStore(workers = '', signal: NodeJS.Signals = 'SIGTERM') {
  const backend = await startBackend()
  const dir = filesOf({ 'config.yaml': yamlOf(backend.url, workers) })
  const site = await startSite(program, dir, 'config.yaml')
  const key = await site.key()
  for (let n = 0; n < 30; n++) expect((await site.chat(key)).status).toBe(200)
  const backup = join(dir, 'backup')
  expect(await program.run(['backup', backup], { cwd: dir, env: site.env })).toMatchObject({ code: 0 })
  await site.gateway.end(signal)
  await backend.close()
  const file = join(dir, 'state/store/data.mdb')
  const whole = join(dir, 'whole.mdb')
  copyFileSync(file, whole)
  const run = (...args: readonly string[]) => program.run(args, { cwd: dir, env: { SVCCTL_TOKEN: 'cli-admin-token' } })
  return { dir, file, backup, key, mend: () => copyFileSync(whole, file), run }
}

/** The number of a leaf of the ledger: of the pages that have ids of requests, others hold old copies or belong to other tables. */
function ledgerPage(file: string): number {
  const bytes = readFileSync(file)
  const copy = `${file}.harmed`
  const pages = Array.from({ length: bytes.length / PAGE }, (_, page) => page)
  const found = pages.slice(2).find(page => {
    if (!bytes.subarray(page * PAGE, (page + 1) * PAGE).includes('req_')) return false
    copyFileSync(file, copy)
    overwrite(copy, page, ZEROS)
    return walkPages(copy).tables.some(({ name, damaged }) => name === 'ledger' && damaged.includes(page))
  })
  rmSync(copy, { force: true })
  if (found === undefined) throw new Error('no page of the ledger has an id of a request')
  return found
}

function overwrite(file: string, page: number, bytes: Buffer, at = 0): void {
  const all = readFileSync(file)
  bytes.copy(all, page * PAGE + at)
  writeFileSync(file, all)
}

const ZEROS = Buffer.alloc(PAGE)

it('a damaged store is refused by its name, with an exit code of its own, and never ends svcctl by a signal', async () => {
  const { file, mend, run } = await servedStore()
  const page = ledgerPage(file)
  const damages: readonly (readonly [string, () => void])[] = [
    ['the first root zeroed', () => overwrite(file, 0, ZEROS)],
    ['both roots zeroed', () => [0, 1].map(page => overwrite(file, page, ZEROS))],
    ['cut to a third', () => truncateSync(file, 8 * PAGE)],
    ['a page of the ledger zeroed', () => overwrite(file, page, ZEROS)],
  ]
  for (const [what, harm] of damages) {
    mend()
    harm()
    for (const command of [
      ['serve', '-c', 'config.yaml'],
      ['store', 'check'],
    ])
      expect(await run(...command), what).toMatchObject({
        code: 6,
        stderr: expect.stringMatching(/^✗ the store in \S+state\/store is damaged: restore a backup/m),
      })
  }

  expect(JSON.parse((await run('store', 'check', '--json')).stdout)).toMatchObject({
    whole: false,
    tables: expect.arrayContaining([expect.objectContaining({ table: 'ledger', damaged_pages: [page] })]),
  })
})

it('a journal of a killed gateway that cannot be read is damage, which a restored backup ends', async () => {
  const { dir, backup, run } = await servedStore('', 'SIGKILL')
  const journal = join(dir, 'state/store/journal')
  const [segment = ''] = readdirSync(journal)
  const bytes = readFileSync(join(journal, segment))
  bytes.writeUInt8(bytes.readUInt8(60) ^ 1, 60)
  writeFileSync(join(journal, segment), bytes)

  for (const command of [
    ['serve', '-c', 'config.yaml', '--no-store-check'],
    ['serve', '-c', 'config.yaml'],
    ['store', 'check'],
  ])
    expect(await run(...command), command.join(' ')).toMatchObject({
      code: 6,
      stderr: expect.stringMatching(
        /is damaged: restore a backup.*\n {2}damaged: .*segment of the journal cannot be read/,
      ),
    })

  expect(await run('restore', backup, '--replace', '--yes')).toMatchObject({ code: 0 })
  const restored = await run('usage', '--by', 'key', '--format', 'json')
  expect(restored.code).toBe(0)
})

it('every command that reads the store of a stopped gateway refuses a damaged one as serve does, and writes nothing', async () => {
  const { dir, file, run } = await servedStore()
  overwrite(file, ledgerPage(file), ZEROS)

  for (const command of [
    ['backup', 'next.backup'],
    ['keys', 'list'],
    ['keys', 'mint', '--account', 'zoe', '--plan', 'pro'],
    ['accounts', 'list'],
    ['usage'],
    ['audit'],
    ['store', 'migrate', 'embedded:', 'embedded:./next'],
  ])
    expect(await run(...command), command.join(' ')).toMatchObject({
      code: 6,
      stdout: '',
      stderr: expect.stringMatching(/^✗ the store in \S+state\/store is damaged: restore a backup/m),
    })

  expect(['next', 'next.backup'].filter(name => existsSync(join(dir, name)))).toEqual([])
})

it('a restored backup takes the place of a damaged store, of a gateway with workers too', async () => {
  const { dir, file, backup, key, run } = await servedStore(', workers: 2')
  overwrite(file, 0, ZEROS)
  expect((await run('serve', '-c', 'config.yaml')).code).toBe(6)

  expect(await run('restore', backup, '--replace', '--yes')).toMatchObject({ code: 0 })

  expect((await run('store', 'check')).stdout).toMatch(/^ledger +30 [\s\S]*✓ the store in \S+ is whole\n$/m)
  const backend = await startBackend()
  writeFileSync(join(dir, 'config.yaml'), yamlOf(backend.url, ', workers: 2'))
  const site = await startSite(program, dir, 'config.yaml')
  expect((await site.chat(key)).status).toBe(200)
  expect(await run('store', 'check')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('in use by another process'),
  })
  await backend.close()
})
