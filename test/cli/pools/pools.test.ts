import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { modelsLost, poolsText } from '../../../src/cli/pools/pools.ts'
import type { ShownPool } from '../../../src/wire/admin/pool.ts'
import { removeFolder } from '../../lanes/remove-folder.ts'
import { type Backend, json, startBackend, status } from '../../support/backend.ts'
import { openTurns, type Turns } from '../in-turn.ts'
import { compileProgram, type Program } from '../program.ts'
import { filesOf, keptFilesOf, type Site, startKeptSite, startSite, yamlOf } from '../site.ts'

let program: Program
let turns: Turns
let one: Backend
let two: Backend
let cloud: Backend
let yaml: string

beforeAll(async () => {
  program = compileProgram()
  turns = openTurns(program)
  one = await startBackend()
  two = await startBackend()
  cloud = await startBackend()
  yaml = yamlOf(one.url)
    .replace(
      `replicas: ["${one.url}"] }`,
      `max_concurrent: 50, replicas: ["${one.url}", "${two.url}"] }, cloud: { site: cloud, model: big, replicas: ["${cloud.url}"] }`,
    )
    .replace('serve: [onprem]', 'serve: [onprem, cloud]')
}, 60_000)

afterAll(async () => {
  await turns.end()
  await program.end()
  await Promise.all([one, two, cloud].map(backend => backend.close()))
})

describe('on a running gateway', () => {
  let site: Site
  const svcctl = (...args: string[]) => turns.run(['pools', ...args], { env: site.env, cwd: site.dir })

  describe('that stays as it is', () => {
    // So that one is enough.
    beforeAll(async () => {
      site = await startKeptSite(program, keptFilesOf({ 'config.yaml': yaml }), 'config.yaml')
      return async () => {
        await site.gateway.end()
        await removeFolder(site.dir)
      }
    })

    it('pools shows each pool, and below it each replica, in 100 columns', async () => {
      const { code, stdout, stderr } = await svcctl()

      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      const row = (number: number, url: string) => `  ${number}  ${url}  ok     0          0         -         -`
      expect(stdout).toBe(
        [
          `  #  REPLICA${' '.repeat(one.url.length - 7)}  STATE  IN-FLIGHT  FAILURES  NEXT-TRY  PROBE`,
          'onprem  on-premises, test-model: 0 of 50 in flight',
          row(1, one.url),
          row(2, two.url),
          '  caches: account (not isolated: its backends take no cache_salt)',
          'cloud  cloud, big: 0 in flight',
          row(1, cloud.url),
          '  caches: account (not isolated: its backends take no cache_salt)',
          '',
        ].join('\n'),
      )
      expect(Math.max(...stdout.split('\n').map(line => line.length))).toBeLessThan(100)
    })

    it('pools --json is for programs', async () => {
      const { code, stdout } = await svcctl('--json')

      expect(code).toBe(0)
      expect(JSON.parse(stdout)).toMatchObject({
        object: 'list',
        data: [
          {
            pool: 'onprem',
            models: ['svc-core'],
            replicas: [{ replica: 1, url: one.url, state: 'closed' }, { replica: 2 }],
          },
          { pool: 'cloud', replicas: [{ state: 'closed' }] },
        ],
      })
    })

    it.each([
      [['drain', 'nowhere', '--yes'], 1, 'there are onprem, cloud'],
      [['undrain', 'onprem', '7'], 1, `there are 1 (http://`],
      [['drain'], 2, 'missing required argument'],
      [['nonsense'], 2, ''],
    ])('pools %j exits %i and says %s', async (args, code, words) => {
      expect(await svcctl(...args)).toEqual({ code, stdout: '', stderr: expect.stringContaining(words) })
    })

    it('a wrong token is exit 4', async () => {
      const env = { ...site.env, SVCCTL_TOKEN: 'wrong' }

      expect(await program.run(['pools'], { env, cwd: site.dir })).toMatchObject({ code: 4, stdout: '' })
    })
  })

  describe('that is changed', () => {
    beforeEach(async () => {
      two.probed(json({}))
      site = await startSite(program, filesOf({ 'config.yaml': yaml }), 'config.yaml')
    })

    it('drain takes a pool or a replica out, says for how long, and undrain brings it back', async () => {
      const key = await site.key()
      const served = async () => (await site.chat(key)).headers.get('x-svc-upstream')

      const replica = await svcctl('drain', 'onprem', '2')
      expect(replica).toMatchObject({ code: 0, stdout: '' })
      expect(replica.stderr).toContain(
        `✓ onprem takes requests, except on drained replicas: 2 (${two.url}), 0 running.`,
      )
      const whole = await svcctl('drain', 'onprem')
      expect(whole).toMatchObject({ code: 0, stdout: '' })
      expect(whole.stderr).toMatch(
        /^✓ onprem is drained: .*\n {2}This applies to all gateways on the store.*survives restarts\.\n$/,
      )
      expect(await served()).toBe('cloud')
      expect((await svcctl()).stdout).toMatch(/onprem .*: DRAINED, 0 of 50 in flight\n {2}1 .* drained /)

      const back = await svcctl('undrain', 'onprem', '--json')
      expect(back).toMatchObject({ code: 0, stderr: '' })
      expect(JSON.parse(back.stdout)).toMatchObject({
        drained: false,
        replicas: [{ state: 'closed' }, { state: 'drained' }],
      })
      expect(await served()).toBe('onprem')
      expect((await svcctl('undrain', 'onprem', two.url)).stderr).toContain('on all of its replicas')
    })

    it('drain of the last that serves a model asks first; without a terminal it is refused with 2', async () => {
      await svcctl('drain', 'cloud')

      const refused = await svcctl('drain', 'onprem')
      expect(refused).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining('--yes') })
      expect((await svcctl('drain', 'onprem', '1')).code).toBe(0)
      expect((await svcctl('drain', 'onprem', '2')).code).toBe(2)
      expect((await svcctl('drain', 'onprem', '--yes')).code).toBe(0)
    })

    it('probe tells what each replica says now: 0 when all answer, 1 when one does not', async () => {
      const fine = await svcctl('probe')
      expect(fine).toMatchObject({ code: 0, stderr: '' })
      expect(fine.stdout).toMatch(
        /^POOL +# +REPLICA +RESULT +MS\nonprem +1 +\S+ +ok 200 +\d+\nonprem +2 .*\ncloud +1 .*\n$/,
      )

      two.probed(status(503))
      const bad = await svcctl('probe', 'onprem')
      expect(bad.code).toBe(1)
      expect(bad.stdout).toMatch(/onprem +1 .* ok 200 .*\nonprem +2 +\S+ +status 503 +\d+\n$/)
      expect((await svcctl('probe', 'onprem', '1')).code).toBe(0)
      const told = await svcctl('probe', 'onprem', '2', '--json')
      expect(told.code).toBe(1)
      expect(JSON.parse(told.stdout)).toMatchObject({ ok: false, data: [{ replica: 2, ok: false, status: 503 }] })
      expect((await svcctl()).stdout).toMatch(/2 .* status 503, \d+ s ago\n/)
    })
  })
})

it.each([[['pools']], [['pools', 'drain', 'onprem', '--yes']], [['pools', 'undrain', 'onprem']], [['pools', 'probe']]])(
  'svcctl %j without a running gateway exits 3 and says so',
  async args => {
    const cwd = filesOf({ 'config.yaml': yaml.replace('admin: "127.0.0.1:0"', 'admin: "127.0.0.1:1"') })

    const { code, stdout, stderr } = await program.run(args, { cwd })

    expect({ code, stdout, stderr }).toEqual({
      code: 3,
      stdout: '',
      stderr: '✗ no gateway answers at http://127.0.0.1:1\n',
    })
  },
)

const NOON = Date.UTC(2026, 10, 21, 12)

const shown = (
  pool: string,
  models: readonly string[],
  ...states: ShownPool['replicas'][number]['state'][]
): ShownPool => ({
  pool,
  site: 'on-premises',
  model: 'Qwen/Qwen3-8B',
  models,
  drained: false,
  in_flight: 3,
  waiting: 2,
  max_concurrent: 50,
  hour_usd: '0.12',
  max_usd_per_hour: '5',
  requests_10s: 40,
  retries_10s: 7,
  replicas: states.map((state, index) => ({
    replica: index + 1,
    url: `http://10.0.0.${index + 1}:8000/v1`,
    state,
    in_flight: 1,
    failures: 5,
    retry_in_ms: state === 'drained' ? null : state === 'open' ? 4120 : 0,
    last_probe: { ok: false, status: null, error: 'timeout', ms: 5000, at: new Date(NOON - 3000).toISOString() },
  })),
})

it('a line tells of limits, queues and second attempts; a state when it ends', () => {
  const text = poolsText([shown('near', ['m'], 'open', 'half-open', 'drained')], NOON)

  expect(text.split('\n')).toEqual(
    [
      '  #  REPLICA                STATE     IN-FLIGHT  FAILURES  NEXT-TRY  PROBE',
      'near  on-premises, Qwen/Qwen3-8B: 3 of 50 in flight, 2 waiting, $0.12 of $5 in this hour, 7 retried of 40 in 10 s',
      '  1  http://10.0.0.1:8000/v1  ejected   1          5         in 4.2 s  timeout, 3 s ago',
      '  2  http://10.0.0.2:8000/v1  on trial  1          5         now       timeout, 3 s ago',
      '  3  http://10.0.0.3:8000/v1  drained   1          5         -         timeout, 3 s ago',
    ].map(line => line.replace('REPLICA                ', 'REPLICA                  ')),
  )
})

it('a line for each share of the slots tells what it guarantees, and what its owner has', () => {
  const share = { owner: 'org:research', share: '60%', guaranteed: 30, in_flight: 2, waiting: 2 }
  const shares = [share, { ...share, owner: 'plan:free', share: '2%', guaranteed: 1, waiting: 0 }]
  const text = poolsText([{ ...shown('near', ['m'], 'closed'), queue: { max: 9, by_priority: [], shares } }], NOON)

  expect(text.split('\n').slice(-2)).toEqual([
    '  org:research: 30 slots guaranteed (60%), 2 in flight, 2 waiting',
    '  plan:free: 1 slot guaranteed (2%), 2 in flight',
  ])
})

it('a line for each model whose mirror a pool is tells what is copied, what it costs, and how the newest copy went', () => {
  const copies = {
    ...{ model: 'svc-core', sample: '5%', from: ['onprem', 'cloud'], across_sites: true },
    ...{ day_usd: '1.2', max_usd_per_day: '5' },
  }
  const free = { ...copies, model: 'svc-pro', from: ['onprem'], day_usd: null, max_usd_per_day: null }
  const text = 'was left out: the budget had no room'
  const newest = { at: new Date(NOON - 3000).toISOString(), outcome: 'budget' as const, text }
  const lines = poolsText([{ ...shown('new', [], 'closed'), copies: [{ ...copies, newest }, free] }], NOON).split('\n')

  expect(lines.slice(-2)).toEqual([
    '  gets copies of 5% of the conversations of svc-core from onprem, cloud: $1.20 of $5 in 24 hours; the newest, 3 s ago, was left out: the budget had no room',
    '  gets copies of 5% of the conversations of svc-pro from onprem',
  ])
})

it.each<[string, readonly ShownPool[], object, readonly string[]]>([
  ['another pool serves it', [shown('a', ['m'], 'closed'), shown('b', ['m'], 'closed')], { pool: 'a' }, []],
  ['the other pool is out', [shown('a', ['m'], 'closed'), shown('b', ['m'], 'open')], { pool: 'a' }, ['m']],
  ['another replica serves it', [shown('a', ['m'], 'closed', 'closed')], { pool: 'a', replica: 2 }, []],
  ['the other replica is out', [shown('a', ['m'], 'drained', 'closed')], { pool: 'a', replica: 2 }, ['m']],
  [
    'the last is named by its URL',
    [shown('a', ['m'], 'closed')],
    { pool: 'a', replica: 'http://10.0.0.1:8000/v1' },
    ['m'],
  ],
  [
    'one of two models has another',
    [shown('a', ['m', 'n'], 'closed'), shown('b', ['n'], 'closed')],
    { pool: 'a' },
    ['m'],
  ],
  ['nobody knows the pool', [shown('a', ['m'], 'closed')], { pool: 'x' }, []],
])('what a drain would leave without anything that is fit, where %s', (_, pools, place, models) => {
  expect(modelsLost(pools, place)).toEqual(models)
})
