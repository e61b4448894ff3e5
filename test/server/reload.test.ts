import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compileProgram, type Program } from '../cli/program.ts'
import { filesOf, startSite, yamlOf } from '../cli/site.ts'
import { removeFolder } from '../lanes/remove-folder.ts'
import { type Backend, startBackend } from '../support/backend.ts'

let program: Program
let backend: Backend
let good: string

beforeAll(async () => {
  program = compileProgram()
  backend = await startBackend()
  good = yamlOf(backend.url)
}, 60_000)

afterAll(async () => {
  await program.end()
  await backend.close()
})

const dearer = (yaml: string, by = 11) => yaml.replace('output: 10', `output: ${by}`)
const bad = (yaml: string) => yaml.replace('rpm: 10k', 'rpm: 0')
const start = (files: Readonly<Record<string, string>>, ...options: string[]) =>
  startSite(program, filesOf(files), 'config.yaml', ...options)

describe('SIGHUP', () => {
  it('takes the files as they are', async () => {
    const site = await start({ 'config.yaml': good })
    site.write('config.yaml', dearer(good))

    site.gateway.signal('SIGHUP')

    await site.gateway.until(/reloaded: revision [0-9a-f]{12} → [0-9a-f]{12}, generation 2/)
    expect(await site.gateway.end()).toBe(0)
  })

  it('on files that are not in order shows each problem in its frame, and what served goes on', async () => {
    const site = await start({ 'config.yaml': good })
    const key = await site.key()
    site.write('config.yaml', bad(good))

    site.gateway.signal('SIGHUP')

    const said = await site.gateway.until('1 error in 1 file')
    expect(said).toContain('▲ the configuration was not reloaded: the previous one stays in force problems=1')
    expect(said).toMatch(/✗ config\.yaml:4:\d+ {2}`0` is out of range.*\n.*│ plans: .*\n.*\^/)
    expect((await site.chat(key)).status).toBe(200)
  })
})

describe('svcctl reload', () => {
  it('says what serves now, with exit code 0', async () => {
    const { env, dir, write } = await start({ 'config.yaml': good })
    write('config.yaml', dearer(good))

    const first = await program.run(['reload'], { env, cwd: dir })
    const second = await program.run(['reload'], { env, cwd: dir })

    expect(first).toMatchObject({ code: 0, stderr: '' })
    expect(first.stdout).toMatch(/^reloaded: revision [0-9a-f]{12} → [0-9a-f]{12}\n$/)
    expect(second).toMatchObject({ code: 0, stderr: '' })
    expect(second.stdout).toMatch(/^nothing to reload: revision [0-9a-f]{12} serves\n$/)
  })

  it('shows every problem that is in the way, with exit code 1', async () => {
    const { env, dir, write } = await start({ 'config.yaml': good })
    write('config.yaml', bad(good).replace('usd_per_1m', 'usd_per_m'))

    const { code, stdout, stderr } = await program.run(['reload'], { env, cwd: dir })

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/✗ config\.yaml:4:\d+ {2}`0` is out of range/)
    expect(stderr).toMatch(/✗ config\.yaml:6:\d+ {2}unknown field `usd_per_m`/)
    expect(stderr).toContain('The gateway keeps its current configuration.')
  })

  it('shows what needs a restart', async () => {
    const { env, dir, write } = await start({ 'config.yaml': good })
    write('config.yaml', `${good}brand: acme\n`)

    const { code, stderr } = await program.run(['reload'], { env, cwd: dir })

    expect(code).toBe(1)
    expect(stderr).toMatch(
      /✗ config\.yaml:10:8 {2}`brand` cannot change while the gateway runs.*\n.*\n.*restart it, or change it back to svc/,
    )
  })

  it('shows the warnings of what it took', async () => {
    const { env, dir, write } = await start({ 'config.yaml': good })
    write('config.yaml', good.replace('http://localhost', 'http://gw.example.com'))

    const { code, stderr } = await program.run(['reload'], { env, cwd: dir })

    expect(code).toBe(0)
    expect(stderr).toMatch(/^▲ config\.yaml:2:\d+ {2}clients reach the gateway without TLS\n$/)
  })

  it('exits 3 where no gateway runs', async () => {
    const cwd = filesOf({ 'config.yaml': good.replace('admin: "127.0.0.1:0"', 'admin: "127.0.0.1:1"') })

    const { code, stderr } = await program.run(['reload'], { cwd })

    expect({ code, stderr }).toEqual({ code: 3, stderr: '✗ no gateway answers at http://127.0.0.1:1\n' })
  })
})

describe('svcctl serve --watch', () => {
  it('takes a file that was written, one that was moved in its place, and the one after a bad one', async () => {
    const { dir, gateway, write } = await start({ 'config.yaml': good }, '--watch')

    write('config.yaml', dearer(good, 11))
    await gateway.until('generation 2')
    write('config.yaml~', dearer(good, 12))
    renameSync(join(dir, 'config.yaml~'), join(dir, 'config.yaml'))
    await gateway.until('generation 3')
    write('config.yaml', bad(good))
    await gateway.until('1 error in 1 file')
    write('config.yaml', dearer(good, 13))
    await gateway.until('generation 4')

    expect(gateway.said().match(/was not reloaded/g)).toHaveLength(1)
  })

  it('takes a file that was added to an include, and a secret that was changed', async () => {
    const main = `${good}include: [more/*.yaml]\n`
    const keyed = main.replace('model: test-model', 'model: test-model, key: file:secrets/key')
    const { dir, gateway, write, key, chat } = await start(
      { 'config.yaml': keyed, 'more/a.yaml': 'aliases: { one: svc-core }\n', 'secrets/key': 'sk-first' },
      '--watch',
    )
    const bearer = await key()

    write('more/b.yaml', 'aliases: { two: svc-core }\n')
    await gateway.until('generation 2')
    expect((await chat(bearer, { model: 'two' })).status).toBe(200)
    mkdirSync(join(dir, 'secrets-2'))
    write('secrets-2/key', 'sk-second')
    renameSync(join(dir, 'secrets'), join(dir, 'secrets-1'))
    renameSync(join(dir, 'secrets-2'), join(dir, 'secrets'))
    await gateway.until('generation 3')
    await chat(bearer)

    expect(backend.requests.slice(-2).map(({ headers }) => headers.authorization)).toEqual([
      'Bearer sk-first',
      'Bearer sk-second',
    ])
  })

  it('follows the links of a mounted ConfigMap, time and again', async () => {
    const dir = filesOf({ '..v1/config.yaml': good })
    symlinkSync('..v1', join(dir, '..data'))
    symlinkSync('..data/config.yaml', join(dir, 'config.yaml'))
    const { gateway } = await startSite(program, dir, 'config.yaml', '--watch')

    for (const version of [2, 3, 4]) {
      mkdirSync(join(dir, `..v${version}`))
      writeFileSync(join(dir, `..v${version}`, 'config.yaml'), dearer(good, 10 + version))
      symlinkSync(`..v${version}`, join(dir, '..data_tmp'))
      renameSync(join(dir, '..data_tmp'), join(dir, '..data'))
      await removeFolder(join(dir, `..v${version - 1}`))
      await gateway.until(`generation ${version}`)
    }

    expect(gateway.said()).not.toContain('was not reloaded')
  })

  it('takes policies of a mounted ConfigMap with folders, and serves on where they are broken', async () => {
    const main = `${good}include: [policies/*.yaml]\n`
    const dir = filesOf({ '..v1/config.yaml': main, '..v1/policies/aliases.yaml': 'aliases: { zero: svc-core }\n' })
    symlinkSync('..v1', join(dir, '..data'))
    for (const name of ['config.yaml', 'policies']) symlinkSync(`..data/${name}`, join(dir, name))
    const { gateway } = await startSite(program, dir, 'config.yaml', '--watch')
    const mount = async (version: number, aliases: string) => {
      mkdirSync(join(dir, `..v${version}/policies`), { recursive: true })
      writeFileSync(join(dir, `..v${version}`, 'config.yaml'), main)
      writeFileSync(join(dir, `..v${version}`, 'policies/aliases.yaml'), aliases)
      symlinkSync(`..v${version}`, join(dir, '..data_tmp'))
      renameSync(join(dir, '..data_tmp'), join(dir, '..data'))
      await removeFolder(join(dir, `..v${version - 1}`))
    }

    await mount(2, 'aliases: { one: svc-core }\n')
    await gateway.until('generation 2')
    await mount(3, 'aliases: { one: nobody }\n')
    await gateway.until('was not reloaded')
    await mount(4, 'aliases: { two: svc-core }\n')
    await gateway.until('generation 3')
  })

  it('says nothing of files that it does not read', async () => {
    const { gateway, write } = await start({ 'config.yaml': good }, '--watch')
    write('notes.txt', 'x')
    write('config.yaml', dearer(good))
    await gateway.until('generation 2')

    expect(gateway.said()).not.toContain('nothing to reload')
  })
})
