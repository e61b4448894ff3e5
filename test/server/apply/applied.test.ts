import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ConfigFiles } from '../../../src/adapters/config-files/config-files.ts'
import { machineSteps } from '../../../src/adapters/config-files/journal.ts'
import { applyFiles, keptRevision, keptRevisions, servedConfig } from '../../../src/operator/gateway-calls.ts'
import { compileProgram, type Program } from '../../cli/program.ts'
import { filesOf, type Site, startSite, yamlOf } from '../../cli/site.ts'
import { type Backend, startBackend } from '../../support/backend.ts'

let program: Program
let backend: Backend
let good: string

beforeAll(async () => {
  program = compileProgram()
  backend = await startBackend()
  good = `${yamlOf(backend.url)}include: [more.yaml]\n`
}, 60_000)

afterAll(async () => {
  await program.end()
  await backend.close()
})

const start = (dir: string, ...options: string[]) => startSite(program, dir, 'config.yaml', ...options)
const doorOf = ({ env }: Site) => ({ admin: env.SVCCTL_ADMIN ?? '', token: env.SVCCTL_TOKEN ?? '' })
const aliases = (name: string) => `aliases: { ${name}: svc-core }\n`
/** Both files say the same number, or the directory is no whole candidate. */
const candidate = (number: number) => [
  { file: 'config.yaml', text: good.replace('output: 10 ', `output: ${number} `) },
  { file: 'more.yaml', text: aliases(`alias-${number}`) },
]
const numbersIn = (dir: string) => [
  /output: (\d+)/.exec(readFileSync(join(dir, 'config.yaml'), 'utf8'))?.[1],
  /alias-(\d+)/.exec(readFileSync(join(dir, 'more.yaml'), 'utf8'))?.[1],
]

it('a start ends what was begun before it was killed, says so, and serves it', async () => {
  const dir = filesOf({ 'config.yaml': good, 'more.yaml': aliases('alias-10') })
  let dead = false
  const untilDead =
    <Args extends unknown[]>(step: (...args: Args) => Promise<void>) =>
    async (...args: Args) => {
      if (dead) throw new Error('killed')
      await step(...args)
    }
  const files = new ConfigFiles(join(dir, 'config.yaml'), {
    makeDirectory: untilDead(machineSteps.makeDirectory),
    create: untilDead(machineSteps.create),
    replace: async (from, to) => {
      await untilDead(machineSteps.replace)(from, to)
      dead ||= to.endsWith('config.yaml')
    },
    remove: untilDead(machineSteps.remove),
  })
  await files.change({ write: candidate(11), remove: [] }).catch(() => {})
  expect(numbersIn(dir)).toEqual(['11', '10'])
  const site = await start(dir)

  expect(site.gateway.said()).toContain('finished a change of the files that was interrupted before')
  expect((await servedConfig(doorOf(site))).files).toEqual(candidate(11))
  expect(numbersIn(dir)).toEqual(['11', '11'])
})

it('a start that fails keeps no revision: nothing served', async () => {
  const taken = new URL(backend.url).host
  const dir = filesOf({
    'config.yaml': good.replace('listen: "127.0.0.1:0"', `listen: "${taken}"`),
    'more.yaml': aliases('a'),
  })
  const failed = program.start(['serve', '-c', 'config.yaml'], { cwd: dir, env: { SVCCTL_TOKEN: 'token' } })

  expect(await failed.ended).toBe(1)
  expect(failed.said()).toContain('another process listens on it')
  expect(readdirSync(join(dir, 'state/revisions'))).toEqual([])
})

it('a gateway that watches its files keeps what is applied once, and says nothing of having written it', async () => {
  const dir = filesOf({ 'config.yaml': good, 'more.yaml': aliases('alias-10') })
  const site = await start(dir, '--watch')
  const door = doorOf(site)
  const { revision } = await servedConfig(door)
  const applied = await applyFiles(door, { previous: revision, files: candidate(11), how: 'apply' })
  // The next thing that it sees on the disk comes after all that it wrote itself.
  site.write('more.yaml', aliases('alias-12'))
  await site.gateway.until('generation 3')

  expect(applied).toMatchObject({ previous: revision, number: 2, generation: 2, changed: true })
  expect((await keptRevisions(door)).map(({ how, serves }) => `${how} ${serves}`)).toEqual([
    'watch true',
    'apply false',
    'start false',
  ])
  expect((await keptRevision(door, 2)).files).toEqual(candidate(11))
  expect(site.gateway.said()).not.toContain('nothing to reload')
})

it('killed in the middle of applying, again and again, it comes back with one candidate whole', async () => {
  const dir = filesOf({ 'config.yaml': good, 'more.yaml': aliases('alias-10') })
  let number = 10
  for (const answered of [0, 1, 3]) {
    const site = await start(dir)
    const door = doorOf(site)
    for (let done = 0; done < answered; done++) {
      const { revision } = await servedConfig(door)
      await applyFiles(door, { previous: revision, files: candidate(++number), how: 'apply' })
    }
    const { revision } = await servedConfig(door)
    const last = applyFiles(door, { previous: revision, files: candidate(++number), how: 'apply' }).catch(() => {})
    await servedConfig(door).catch(() => {})
    await Promise.all([site.gateway.end('SIGKILL'), last])

    const again = await start(dir)
    const [main, more] = numbersIn(dir)
    expect(main).toBe(more)
    expect([number - 1, number]).toContain(Number(main))
    expect((await servedConfig(doorOf(again))).files).toEqual(candidate(Number(main)))
    number = Number(main)
    await again.gateway.end('SIGKILL')
  }
}, 60_000)
