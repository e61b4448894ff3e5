import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { launchIdentity } from '../../../demo/src/identity/launch.ts'
import { launchBackends } from '../../../demo/src/launch.ts'
import { launchTools } from '../../../demo/src/tools/launch.ts'
import { status } from '../../support/backend.ts'
import { eventually } from '../../support/eventually.ts'
import { compileProgram, type Program } from '../program.ts'
import { startSite, filesOf as write } from '../site.ts'
import { type Found, filesOf, listOf, script, startReplica } from './site.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

let program: Program
beforeAll(() => {
  program = compileProgram()
}, 60_000)
afterAll(() => program.end())

it('the configuration that ships, in front of the backends of the demo, has nothing but ✓', async () => {
  const backends = await launchBackends({ script: join(program.demo, 'backend-main.js'), paceMs: 0 })
  onTestFinished(() => backends.close())
  const tools = await launchTools({ docs: root, version: '1.0.0', script: join(program.demo, 'tools-main.js') })
  onTestFinished(() => tools.close())
  const identity = await launchIdentity('http://localhost:8080', join(program.demo, 'identity-main.js'))
  onTestFinished(() => identity.close())
  const dir = write({})
  const env = {
    ...backends.env,
    ...tools.env,
    AUTH_URL: identity.issuer,
    LISTEN: '127.0.0.1:0',
    ADMIN: '127.0.0.1:0',
    STATE_DIR: dir,
    STORE: `embedded:${join(dir, 'store')}`,
  }

  const { code, stdout, stderr } = await program.run(['doctor', '-c', 'config.example.yaml', '--images'], {
    cwd: root,
    env,
  })

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).not.toMatch(/✗|▲|\p{Cc}(?<!\n)/u)
  expect(stdout).toMatch(/✓ pools {6}onprem-core 2\/2 +Qwen\/Qwen3-8B, streams, reports usage, calls tools, \d+ ms\n/)
  expect(stdout).toMatch(
    /✓ pools {6}onprem-image 1\/1 +black-forest-labs\/FLUX\.1-schnell, made an image of 512x512, \d+ ms\n/,
  )
  expect(stdout).toMatch(/✓ pools {6}onprem-embed 1\/1 +BAAI\/bge-base-en-v1\.5, 768 dimensions, \d+ ms\n/)
  expect(stdout.endsWith('\n0 problems, 0 warnings\n')).toBe(true)
})

/** A port of a gateway that others do not take meanwhile: below the ephemeral ones. */
const port = () => 20_000 + Math.floor(Math.random() * 12_000)

it('a gateway that runs here is told of, and of other files than these', async () => {
  const backend = script(await startReplica())
  const [listen, admin] = [`127.0.0.1:${port()}`, `127.0.0.1:${port()}`]
  const yaml = filesOf([backend.url])['config.yaml'].replace(
    'listen: "127.0.0.1:0", admin: "127.0.0.1:0"',
    `listen: "${listen}", admin: "${admin}"`,
  )
  const dir = write({ 'config.yaml': yaml })
  const site = await startSite(program, dir, 'config.yaml')
  const found = async () => {
    const { stdout } = await program.run(['doctor', '--json'], { cwd: dir })
    const list: readonly Found[] = JSON.parse(stdout)
    return Object.fromEntries(list.map(({ check, state, text }) => [check, `${state}: ${text}`]))
  }

  const alive = await found()
  expect(alive.ports).toMatch(/^ok: a gateway runs here, ready, with revision [0-9a-f]{12}$/)
  expect(alive.store).toMatch(/^ok: embedded in .*, owned by the gateway running here$/)
  expect(alive.exposure).toBe('ok: no unexpected exposure')

  site.write('config.yaml', `${readFileSync(join(dir, 'config.yaml'), 'utf8')}# changed\n`)
  expect((await found()).ports).toMatch(
    /^warning: the gateway running here uses revision [0-9a-f]{12}, these files are [0-9a-f]{12}$/,
  )

  await site.gateway.end()
  expect((await found()).ports).toBe(`ok: ${listen.split(':')[1]} and ${admin.split(':')[1]} are free`)
})

it('a pool that the running gateway ejected is a problem, though its backend lists its models', async () => {
  const backend = script(await startReplica())
  backend.probed(exchange =>
    exchange.seen.path === '/v1/models' ? listOf({ id: 'test-model' })(exchange) : status(500)(exchange),
  )
  const [listen, admin] = [`127.0.0.1:${port()}`, `127.0.0.1:${port()}`]
  const yaml = filesOf([backend.url], { pool: ', probe: { path: /health, every: 1s }' })['config.yaml'].replace(
    'listen: "127.0.0.1:0", admin: "127.0.0.1:0"',
    `listen: "${listen}", admin: "${admin}"`,
  )
  const dir = write({ 'config.yaml': yaml })
  await startSite(program, dir, 'config.yaml')

  await eventually(async () => {
    const { code, stdout } = await program.run(['doctor', '--no-generate', '--pool', 'onprem'], { cwd: dir })

    expect(stdout).toMatch(/✗ pools {6}onprem 0\/1 +the running gateway has ejected its only replica\n/)
    expect(stdout).not.toMatch(/✓ pools/)
    expect(code).toBe(1)
  })
})

it('a pipe gets it plain, FORCE_COLOR in colour, and whoever has read enough may leave', async () => {
  const backend = script(await startReplica())
  const dir = write(filesOf([backend.url]))
  const shell = (command: string, env = {}) =>
    program.shell(`${process.execPath} ${program.main} ${command}`, { cwd: dir, env })

  expect((await shell('doctor | cat')).stdout).not.toContain('\u001b')
  expect((await shell('doctor | cat', { FORCE_COLOR: '1' })).stdout).toContain('\u001b[32m✓\u001b[0m node')
  expect(await shell('doctor | head -1')).toMatchObject({ code: 0, stderr: '' })
  expect((await shell('doctor --json | head -1')).stdout).toBe('[\n')
})

it.each([
  [['doctor', '--timeout', 'soon'], 'Write seconds'],
  [['doctor', '--nonsense'], 'unknown option'],
  [['doctor', '--pool', 'nowhere'], 'there is no pool nowhere; known pools: onprem'],
])('%j is wrong usage', async (args, words) => {
  const cwd = write(filesOf(['http://127.0.0.1:1/v1']))

  expect(await program.run(args, { cwd })).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(words) })
})
