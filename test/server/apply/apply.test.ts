import { createHash, randomBytes } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { load } from '../../../src/config/load.ts'
import { limitsOf, mostOf } from '../../../src/policy/limits/named-rules.ts'
import { startSingle } from '../../../src/server/compose/single.ts'
import { codeOf, fieldOf, outcomeOf, send } from '../../http/calls.ts'
import { type Backend, startBackend } from '../../support/backend.ts'
import { ADMIN_TOKEN, startTestGateway, type TestGateway, type TestPools } from '../../support/gateway.ts'
import { heldStream, reading } from '../../support/held.ts'
import { main, type Operator, operatorOf, treeOf } from './fixture.ts'

let onprem: Backend
let test: TestGateway
let operator: Operator

beforeEach(async () => {
  onprem = await startBackend()
})

afterEach(async () => {
  await test.close()
  await onprem.close()
})

const start = async (pools: Partial<TestPools> = {}) => {
  test = await startTestGateway({ onprem: [onprem], ...pools })
  operator = operatorOf(test)
}
const again = async () => {
  test = await test.restart()
  operator = operatorOf(test)
}
const chat = (token: string, body = {}) =>
  send(test, 'POST /v1/chat/completions', { token, body: { messages: [{ role: 'user', content: 'Hi' }], ...body } })
const disk = (name: string) => readFileSync(join(test.dir, name), 'utf8')
const dearer = (yaml: string) => yaml.replace('input: 1, output: 10', 'input: 10, output: 100')
const bad = (yaml: string) => yaml.replace('rpm: 20,', 'rpm: 0,')

describe('a candidate that is applied', () => {
  it('serves the next request, lies on the disk, and serves after a restart', async () => {
    await start()
    const key = await test.key('pro')
    const told = await operator.apply(dearer)
    await chat(key, { max_tokens: 50 })

    expect(told.status).toBe(200)
    const { revision, previous } = told.body as { revision: string; previous: string }
    expect(told.body).toEqual({
      ...{ revision, previous, number: 2, generation: 2, changed: true, warnings: [], moved: [] },
    })
    expect(await test.ledger()).toMatchObject([{ revision, cost: 9 * 10_000 + 3 * 100_000 }])
    expect(disk('config.yaml')).toContain('input: 10, output: 100')
    expect(test.said).toEqual([`applied: revision ${previous} → ${revision}, generation 2`])
    await again()
    expect(await operator.served()).toMatchObject({ revision, number: 2, by: 'operator', how: 'apply' })
  })

  it('leaves requests under way on the price and the plan that they began with', async () => {
    await start()
    const key = await test.key('pro')
    const stream = heldStream()
    onprem.next(stream.behaviour)
    const read = reading(await test.chat(key, { stream: true, max_tokens: 50 }))
    await read.until('Hello')

    const told = await operator.apply(yaml => dearer(yaml).replace('models: all', 'models: [tier:guest]'))
    stream.letGo()

    expect((await read.rest()).endsWith('data: [DONE]\n\n')).toBe(true)
    expect(await test.ledger()).toMatchObject([{ revision: fieldOf(told, 'previous'), cost: 9 * 1_000 + 3 * 10_000 }])
  })

  it('may bring files and directories, and takes those away that its includes would find', async () => {
    await start({
      files: { 'one.more.yaml': 'aliases: { one: svc-core }\n', 'two.more.yaml': 'aliases: { two: svc-core }\n' },
      yaml: 'include: ["*.more.yaml"]',
    })
    const { files } = await operator.served()
    const yaml = (files[0]?.text ?? '').replace('["*.more.yaml"]', '["*.more.yaml", deep/er/x.yaml]')
    const told = await operator.apply([
      { file: 'config.yaml', text: yaml },
      { file: 'two.more.yaml', text: 'aliases: { zwei: svc-core }\n' },
      { file: 'deep/er/x.yaml', text: 'aliases: { x: svc-core }\n' },
    ])

    expect(outcomeOf(told)).toBe('200')
    expect(Object.keys(treeOf(test.dir))).toEqual(['config.yaml', 'deep/er/x.yaml', 'two.more.yaml'])
    const { revision } = await operator.served()
    await again()
    expect((await operator.served()).revision).toBe(revision)
    expect((await operator.served()).files.map(({ file }) => file)).toEqual([
      ...['config.yaml', 'two.more.yaml', 'deep/er/x.yaml'],
    ])
  })

  it('leaves alone what serves no more and no include finds', async () => {
    await start({ files: { 'one.yaml': 'aliases: { one: svc-core }\n' }, yaml: 'include: [one.yaml]' })
    const { files } = await operator.served()
    const told = await operator.apply(main((files[0]?.text ?? '').replace('include: [one.yaml]', '')))

    expect(outcomeOf(told)).toBe('200')
    expect(disk('one.yaml')).toBe('aliases: { one: svc-core }\n')
  })

  it('keeps the mode of each file, and gives new ones that of the main one', async () => {
    await start()
    chmodSync(join(test.dir, 'config.yaml'), 0o640)
    const { files } = await operator.served()
    const yaml = `${dearer(files[0]?.text ?? '')}include: [one.yaml]\n`
    await operator.apply([...main(yaml), { file: 'one.yaml', text: 'aliases: { one: svc-core }\n' }])

    expect(['config.yaml', 'one.yaml'].map(name => statSync(join(test.dir, name)).mode & 0o777)).toEqual([0o640, 0o640])
  })

  it('is written by nobody where it is on the disk already: it only serves', async () => {
    await start()
    test.write({}, dearer)
    const { ino } = statSync(join(test.dir, 'config.yaml'))
    const told = await operator.apply(main(disk('config.yaml')))

    expect(told.body).toMatchObject({ changed: true, number: 2 })
    expect(statSync(join(test.dir, 'config.yaml')).ino).toBe(ino)
  })

  it('that is what serves already changes nothing, writes nothing and is not kept', async () => {
    await start()
    const before = await operator.served()
    test.write({}, bad)
    const told = await operator.apply(before.files)

    expect(told.body).toEqual({
      ...{ revision: before.revision, previous: before.revision, number: 1, generation: 1 },
      ...{ changed: false, warnings: [], moved: [] },
    })
    expect(disk('config.yaml')).toContain('rpm: 0,')
    expect(await operator.revisions()).toHaveLength(1)
  })

  it('of 240 KB in 3 files fits', async () => {
    const long = (name: string) => `# ${'"x"\n# '.repeat(20_000)}\naliases: { ${name}: svc-core }\n`
    await start()
    const { files } = await operator.served()
    const yaml = `${files[0]?.text}include: [one.yaml, two.yaml]\n`
    const told = await operator.apply([
      ...main(yaml),
      { file: 'one.yaml', text: long('one') },
      { file: 'two.yaml', text: long('two') },
    ])

    expect(outcomeOf(told)).toBe('200')
    expect(disk('two.yaml')).toBe(long('two'))
  })

  it('is judged with the variables and secrets of the gateway', async () => {
    const env: Record<string, string> = { HERE: '77' }
    await start({ env, files: { key: 'sk-1' } })
    const keyed = (yaml: string) => yaml.replace('site: on-premises', 'site: on-premises, key: "file:key"')
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of YAML.
    await test.reload({}, yaml => keyed(yaml).replace('rpm: 20', 'rpm: "${HERE}"'))
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of YAML.
    expect(outcomeOf(await operator.apply(yaml => yaml.replace('tpm: 40k', 'tpm: "${HERE}k"')))).toBe('200')

    expect(test.gateway.app.config.plans.get('free')).toMatchObject({ limits: limitsOf({ rpm: 77, tpm: 77_000 }) })
    delete env.HERE
    expect(fieldOf(await operator.apply(dearer), 'text')).toContain('HERE is not set')
  })
})

describe('a candidate that is refused changes nothing', () => {
  const unchanged = async (run: () => Promise<unknown>) => {
    const before = [treeOf(test.dir), await operator.served(), await operator.revisions()]
    await run()
    expect([treeOf(test.dir), await operator.served(), await operator.revisions()]).toEqual(before)
    expect((await chat(await test.key('pro', 'later'))).status).toBe(200)
  }

  it('on the disk or in what serves: its problems are those that a reload would show', async () => {
    await start()
    await unchanged(async () => {
      const told = await operator.apply(bad)
      expect(outcomeOf(told)).toBe('409 APPLY_REFUSED')
      expect(told.body).toMatchObject({ problems: [{ line: 14, severity: 'error' }] })
      expect(fieldOf(told, 'error')).toContain('have 1 problem')
      expect(fieldOf(told, 'text')).toMatch(/✗ config\.yaml:14:\d+ {2}`0` is out of range[\s\S]*1 error in 1 file/)
    })
    expect(test.gateway.app.reloads).toEqual({ ok: 0, failed: 0 })
  })

  it('where only a restart would do', async () => {
    await start()
    await unchanged(async () => {
      const told = await operator.apply(yaml => yaml.replace('store: embedded:', 'store: embedded:/tmp/other'))
      expect(fieldOf(told, 'text')).toContain('`store` cannot change while the gateway runs')
    })
  })

  it('where it was made for another revision than the one that serves', async () => {
    await start()
    const { revision: old, files } = await operator.served()
    await operator.apply(dearer)
    await unchanged(async () => {
      const told = await operator.ask('POST /admin/apply', { previous: old, files })
      expect(outcomeOf(told)).toBe('409 REVISION_CHANGED')
      expect(fieldOf(told, 'error')).toContain((await operator.served()).revision)
    })
  })

  it('where files were changed on the disk that nobody has had served', async () => {
    await start()
    const { files } = await operator.served()
    test.write({}, yaml => `${yaml}# somebody's work\n`)
    await unchanged(async () => {
      const told = await operator.apply(main(dearer(files[0]?.text ?? '')))
      expect(fieldOf(told, 'error')).toContain("config.yaml was changed on the gateway's disk")
    })
  })

  it('where an include would take a file that nobody sent and that does not serve', async () => {
    await start({ files: { 'old.part.yaml': 'aliases: { old: svc-core }\n' } })
    await unchanged(async () => {
      const told = await operator.apply([
        ...main(`${(await operator.served()).files[0]?.text}include: ["*.part.yaml"]\n`),
        { file: 'new.part.yaml', text: 'aliases: { new: svc-core }\n' },
      ])
      expect(fieldOf(told, 'error')).toContain('old.part.yaml')
    })
  })

  it('where a file was sent that it does not include', async () => {
    await start()
    await unchanged(async () => {
      const told = await operator.apply([
        ...main(dearer(disk('config.yaml'))),
        { file: 'x.yaml', text: 'aliases: {}\n' },
      ])
      expect(fieldOf(told, 'error')).toContain('x.yaml was sent')
    })
  })

  it('where what it needs cannot be had', async () => {
    await start()
    mkdirSync(join(test.dir, 'guest.secret'))
    await unchanged(async () => {
      const told = await operator.apply(yaml =>
        yaml.replace('plans:', 'guests: { plan: free, usd_per_day_total: 5, secret: file:nothing-there }\nplans:'),
      )
      expect(outcomeOf(told)).toBe('409 APPLY_REFUSED')
    })
  })

  it('where the body is not one', async () => {
    await start()
    const { revision, files } = await operator.served()
    const bodies: [unknown, string][] = [
      [{ files }, '400 VALIDATION_ERROR'],
      [{ previous: revision }, '400 VALIDATION_ERROR'],
      [{ previous: revision, files: [] }, '400 VALIDATION_ERROR'],
      [{ previous: revision, files: [{ file: 'config.yaml' }] }, '400 VALIDATION_ERROR'],
      [{ previous: revision, files, how: 'start' }, '400 VALIDATION_ERROR'],
      [{ previous: revision, files, move_plans: { free: 1 } }, '400 VALIDATION_ERROR'],
      [{ previous: revision, files: Array.from({ length: 51 }, () => files[0]) }, '400 VALIDATION_ERROR'],
      [{ previous: revision, files: main('#'.repeat(256_001)) }, '400 VALIDATION_ERROR'],
      [{ previous: revision, files: main('#'.repeat(256_000)) }, '409 APPLY_REFUSED'],
      ['{', '400 VALIDATION_ERROR'],
      [`{"x":"${'x'.repeat(1_600_000)}"}`, '413 PAYLOAD_TOO_LARGE'],
    ]
    await unchanged(async () => {
      for (const [body, outcome] of bodies)
        expect(outcomeOf(await operator.ask('POST /admin/apply', body))).toBe(outcome)
    })
  })

  it('where nobody may ask for it', async () => {
    await start()
    const key = await test.key('pro')
    await unchanged(async () => {
      for (const path of ['POST /admin/apply', 'GET /admin/config', 'GET /admin/revisions', 'GET /admin/plans']) {
        expect(outcomeOf(await send({ url: test.admin }, path, { token: key }))).toBe('401 INVALID_TOKEN')
        expect(codeOf(await send(test, path, { token: ADMIN_TOKEN }))).toBe('NOT_FOUND')
      }
    })
  })
})

it('exactly one of two concurrent applies against one revision wins, as a whole', async () => {
  await start()
  const { revision, files } = await operator.served()
  const of = (rpm: number) => main((files[0]?.text ?? '').replace('rpm: 20,', `rpm: ${rpm},`))
  const told = await Promise.all(
    [31, 32, 33, 34].map(rpm => operator.ask('POST /admin/apply', { previous: revision, files: of(rpm) })),
  )

  expect(told.map(outcomeOf).sort()).toEqual(['200', ...Array(3).fill('409 REVISION_CHANGED')])
  const rpm = 31 + told.findIndex(({ status }) => status === 200)
  expect(disk('config.yaml')).toBe(of(rpm)[0]?.text)
  expect(mostOf(test.gateway.app.config.plans.get('free')?.limits ?? [], 'rpm')).toBe(rpm)
})

describe('what is kept of revisions', () => {
  it('is each one that served, with when, who and how', async () => {
    await start()
    test.clock.advance(1000)
    await operator.apply(dearer)
    test.clock.advance(1000)
    await test.reload({}, yaml => yaml.replace('rpm: 20,', 'rpm: 21,'))
    test.write({}, yaml => yaml.replace('rpm: 20,', 'rpm: 22,'))
    await test.gateway.reload('watch')
    const first = (await operator.ask('GET /admin/revisions?number=1')).body as {
      files: { file: string; text: string }[]
    }
    await operator.apply(first.files, { how: 'rollback' })

    const lines = await operator.revisions()
    expect(lines.map(({ number, by, how, serves }) => `${number} ${by} ${how} ${serves}`)).toEqual([
      '5 operator rollback true',
      '4 watch watch false',
      '3 operator reload false',
      '2 operator apply false',
      '1 start start false',
    ])
    expect(lines.map(({ at }) => at.slice(11, 19))).toEqual([
      '10:00:02',
      '10:00:02',
      '10:00:02',
      '10:00:01',
      '10:00:00',
    ])
    expect(lines[0]?.revision).toBe(lines[4]?.revision)
    expect(disk('config.yaml')).toBe(first.files[0]?.text)
  })

  it('survives a restart, which is no revision of its own', async () => {
    await start()
    await operator.apply(dearer)
    const before = await operator.revisions()
    await again()

    expect(await operator.revisions()).toEqual(before)
    expect((await operator.served()).since).toBe(before[0]?.at)
  })

  it('is for its owner alone', async () => {
    await start()
    await operator.apply(dearer)
    const kept = join(test.dir, 'revisions')

    expect(statSync(kept).mode & 0o777).toBe(0o700)
    expect(readdirSync(kept).map(name => statSync(join(kept, name)).mode & 0o777)).toEqual([0o600, 0o600])
  })

  it('can be asked for by its number, and only then', async () => {
    await start()
    const { since: at, decisions: _, profiles: __, ...config } = await operator.served()

    expect((await operator.ask('GET /admin/revisions?number=1')).body).toEqual({ ...config, at })
    for (const number of ['2', '999999999']) {
      expect(outcomeOf(await operator.ask(`GET /admin/revisions?number=${number}`))).toBe('404 NOT_FOUND')
    }
    for (const number of ['', '0', '-1', '1.5', '1e3', '../1', '%00', '1&number=2', '9999999999']) {
      expect(outcomeOf(await operator.ask(`GET /admin/revisions?number=${number}`))).toBe('400 VALIDATION_ERROR')
    }
  })

  it('tells of what cannot be kept, and serves it', async () => {
    await start()
    await test.close()
    test = await startTestGateway({ onprem: [onprem], files: { revisions: 'not a directory' } })
    operator = operatorOf(test)

    expect(test.alarms.join()).toContain('the revisions of before cannot be read')
    expect(outcomeOf(await operator.apply(dearer))).toBe('200')
    expect(test.alarms.join()).toContain('a revision cannot be kept')
    expect((await operator.revisions()).map(({ number }) => number)).toEqual([2, 1])
  })
})

it('where the gateway logs its decisions can be asked', async () => {
  await start()
  expect((await operator.served()).decisions).toEqual({ log: true, directory: join(test.dir, 'decisions') })
})

describe('a change that a gateway had begun when it was killed', () => {
  const journal = (yaml: string) => {
    const change = { write: main(yaml), remove: [] }
    const sum = createHash('sha256')
      .update(JSON.stringify([[['config.yaml', yaml]], []]))
      .digest('hex')
    writeFileSync(join(test.dir, '.config.yaml.apply'), JSON.stringify({ sum, ...change }))
  }

  it('is done by the next reload, before it reads the files', async () => {
    await start()
    journal(dearer(disk('config.yaml')))
    const reloaded = await test.gateway.reload('operator')

    expect(reloaded).toMatchObject({ changed: true })
    expect(disk('config.yaml')).toContain('input: 10, output: 100')
    expect(Object.keys(treeOf(test.dir))).toEqual(['config.yaml'])
  })

  it('is told where it cannot be done, and what served goes on', async () => {
    await start()
    writeFileSync(join(test.dir, '.config.yaml.apply'), 'damaged')
    const before = disk('config.yaml')

    expect(outcomeOf(await operator.ask('POST /admin/reload'))).toBe('409 RELOAD_REFUSED')
    expect(fieldOf(await operator.apply(dearer), 'error')).toContain('.config.yaml.apply is damaged')
    expect(disk('config.yaml')).toBe(before)
  })
})

describe('where the files come from elsewhere', () => {
  it('a mounted ConfigMap is refused, with what to do instead', async () => {
    await start()
    const text = disk('config.yaml')
    mkdirSync(join(test.dir, '..v1'))
    writeFileSync(join(test.dir, '..v1', 'config.yaml'), text)
    rmSync(join(test.dir, 'config.yaml'))
    symlinkSync('..v1', join(test.dir, '..data'))
    symlinkSync('..data/config.yaml', join(test.dir, 'config.yaml'))
    const told = await operator.apply(dearer)

    expect(outcomeOf(told)).toBe('409 APPLY_REFUSED')
    expect(fieldOf(told, 'error')).toBe(
      'config.yaml is a symbolic link: change the files at their source, then run svcctl reload',
    )
    expect(readFileSync(join(test.dir, '..v1', 'config.yaml'), 'utf8')).toBe(text)
  })

  it('a directory that cannot be written is refused, with what to do instead', async () => {
    await start()
    const told = await asNobody(test.dir, () => operator.apply(dearer))

    expect(outcomeOf(told)).toBe('409 APPLY_REFUSED')
    expect(fieldOf(told, 'error')).toMatch(
      /written.*: change (the files|them) at their source, then run svcctl reload$/,
    )
    expect(Object.keys(treeOf(test.dir))).toEqual(['config.yaml'])
  })
})

it('the files of a package are changed by nobody', async () => {
  await start()
  const loaded = load(join(test.dir, 'config.yaml'), {}, test.dir)
  if (!loaded.ok) throw new Error('the files are not in order')
  const state = mkdtempSync(join(test.dir, 'packaged-'))
  const { settings } = loaded.loaded
  const packaged = {
    ...loaded.loaded,
    settings: {
      ...settings,
      server: { ...settings.server, stateDir: state },
      store: { kind: 'embedded' as const, path: join(state, 'store') },
    },
  }
  const gateway = await startSingle(
    packaged,
    { clock: test.clock, random: randomBytes, chance: Math.random },
    { adminToken: ADMIN_TOKEN, log: () => {}, alarm: () => {} },
  )
  onTestFinished(() => gateway.close(0))
  const body = { previous: loaded.loaded.config.revision, files: main(dearer(disk('config.yaml'))) }
  const told = await send({ url: `http://127.0.0.1:${gateway.admin.port}` }, 'POST /admin/apply', {
    headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    body,
  })

  expect(outcomeOf(told)).toBe('409 APPLY_REFUSED')
  expect(fieldOf(told, 'error')).toContain('serves the files of its package')
  expect(disk('config.yaml')).not.toContain('output: 100')
})

const NOBODY = 65_534

/** Runs as who may read a directory and not write it: nothing is forbidden to root. */
async function asNobody<Result>(directory: string, run: () => Promise<Result>): Promise<Result> {
  const isRoot = process.getuid?.() === 0
  if (isRoot) {
    chownSync(directory, NOBODY, NOBODY)
    chownSync(join(directory, 'config.yaml'), NOBODY, NOBODY)
  }
  chmodSync(directory, 0o500)
  if (isRoot) process.seteuid?.(NOBODY)
  try {
    return await run()
  } finally {
    if (isRoot) process.seteuid?.(0)
    chmodSync(directory, 0o700)
  }
}
