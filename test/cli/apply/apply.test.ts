import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { registerApply } from '../../../src/cli/apply/apply.ts'
import { swap } from '../../../src/cli/apply/swap.ts'
import { registerPlan } from '../../../src/cli/plan/plan.ts'
import { servedBase } from '../../../src/cli/plan/sides.ts'
import { registerRollback } from '../../../src/cli/rollback/rollback.ts'
import { version } from '../../../src/server/version.ts'
import { linesIn } from '../../adapters/decisions/lines.ts'
import { directoryOf } from '../../config/files.ts'
import { type Backend, startBackend } from '../../support/backend.ts'
import { eventually } from '../../support/eventually.ts'
import { ADMIN_TOKEN, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { runCommand } from '../run-command.ts'

let backend: Backend
let test: TestGateway
/** Where the operator's files are. */
let dir: string

beforeAll(async () => {
  backend = await startBackend()
})
afterAll(() => backend.close())

beforeEach(async () => {
  test = await startTestGateway({ onprem: [backend] })
  dir = directoryOf({ 'config.yaml': readFileSync(join(test.dir, 'config.yaml')) })
})
afterEach(() => test.close())

const register = (program: Parameters<typeof registerPlan>[0]) => {
  registerPlan(program)
  registerApply(program)
  registerRollback(program)
}

/** Runs a command beside the operator's files. Revisions, addresses and directories are told by what they are. */
async function svcctl(...args: string[]) {
  const env = {
    SVCCTL_ADMIN: test.admin,
    SVCCTL_TOKEN: ADMIN_TOKEN,
    FORCE_COLOR: '',
    NO_COLOR: '1',
    SVCCTL_USER: 'ada@laptop',
  }
  const { code, stdout, stderr } = await runCommand(register, args, { cwd: dir, env })
  return { code, stdout: named(stdout), stderr: named(stderr) }
}

let revisions: Map<string, string>
beforeEach(() => {
  revisions = new Map()
})
const named = (text: string): string =>
  text
    .replace(/\b[0-9a-f]{12}\b/g, revision => {
      const name = revisions.get(revision) ?? `REVISION-${'ABCDEFGH'[revisions.size]}..`
      revisions.set(revision, name)
      return name
    })
    .replaceAll(test.admin, 'GATEWAY')
    .replaceAll(test.dir, 'STATE')
    .replaceAll(`"${version}"`, '"VERSION"')

function edit(...changes: readonly (readonly [from: string, to: string])[]): void {
  const file = join(dir, 'config.yaml')
  for (const [from, to] of changes) {
    const text = readFileSync(file, 'utf8')
    expect(text).toContain(from)
    writeFileSync(file, text.replace(from, to))
  }
}

const LESS = ['rpm: 20, tpm: 40k', 'rpm: 3, tpm: 40k'] as const
const GONE = [['free: { models: [tier:guest], rpm: 20', 'starter: { models: [tier:guest], rpm: 25']] as const
const status = async (key: string) => {
  const answer = await test.chat(key)
  await answer.arrayBuffer()
  return answer.status
}

/** Requests of the plans, recorded. */
async function traffic(): Promise<void> {
  const [free, pro] = [await test.key('free', 'fred'), await test.key('pro', 'ada')]
  await test.key('free', 'fay')
  for (const key of [free, free, free, free, pro]) expect(await status(key)).toBe(200)
  await recorded(5)
}

const recorded = (count: number) =>
  eventually(async () => {
    test.clock.advance(50)
    expect(await linesIn(join(test.dir, 'decisions'))).toHaveLength(count)
  })

describe('svcctl plan', () => {
  it('tells what changes against what the gateway serves, and whom it touches', async () => {
    await traffic()
    edit(LESS, ['monthly_usd: 20, overage: true', 'monthly_usd: 30, overage: true'])

    const { code, stdout, stderr } = await svcctl('plan')

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(`\n${stdout}`).toMatchInlineSnapshot(`
      "
      GATEWAY serves revision REVISION-A.., number 1: loaded at 2026-11-21T10:00:00Z

        ↓ plan free: rpm 20 → 3                config.yaml:14
        + plan pro: monthly_usd 20.00 → 30.00  config.yaml:16

      Whom it touches
        2 accounts on plan free
        1 account on plan pro
        of 5 requests since 2026-11-21T10:00:00Z: 1 newly refused (free 1)

      2 changes against revision REVISION-A..: 1 less, 1 more
      Nothing was changed. Next: svcctl apply
      "
    `)
    expect((await svcctl('plan', '--exit-code')).code).toBe(10)
  })

  it('tells it as JSON, and as annotations of GitHub', async () => {
    await traffic()
    edit(LESS)

    const json = await svcctl('plan', '--json')
    const github = await svcctl('plan', '--format', 'github')

    expect(JSON.parse(json.stdout)).toMatchInlineSnapshot(`
      {
        "against": "revision REVISION-A..",
        "changes": [
          {
            "field": "rpm",
            "file": "config.yaml",
            "from": "20",
            "kind": "less",
            "line": 14,
            "subject": "plan free",
            "text": "plan free: rpm 20 → 3",
            "to": "3",
          },
        ],
        "touches": {
          "accounts": [
            {
              "accounts": 2,
              "gone": false,
              "plan": "free",
            },
          ],
          "requests": {
            "allowed": 0,
            "broken_lines": 0,
            "moved": 0,
            "only_newest": false,
            "plans": [
              {
                "allowed": 0,
                "moved": 0,
                "plan": "free",
                "refused": 1,
                "requests": 4,
                "rerouted": 0,
                "unasked": 0,
                "undeterminable": 0,
              },
            ],
            "refused": 1,
            "requests": 5,
            "rerouted": 0,
            "since": "2026-11-21T10:00:00.000Z",
            "unasked": 0,
            "undeterminable": 0,
          },
        },
        "upgrade": {
          "changes": [],
          "from": "VERSION",
          "to": "VERSION",
          "uncompared": [],
        },
      }
    `)
    expect(`\n${github.stdout}`).toMatchInlineSnapshot(`
      "
      ::warning file=config.yaml,line=14,col=33,title=plan free::plan free: rpm 20 → 3
      ::notice title=whom it touches::2 accounts on plan free; of 5 requests since 2026-11-21T10:00:00Z: 1 newly refused (free 1)
      "
    `)
  })

  it('has no change for the files that serve, and only texts for a comment', async () => {
    expect(await svcctl('plan', '--exit-code')).toEqual({
      code: 0,
      stdout: 'no change in meaning against revision REVISION-A..\n',
      stderr: '',
    })
    edit(['default_model: svc-auto', 'default_model: svc-auto # the small one'])
    expect((await svcctl('plan', '--exit-code')).stdout).toBe(
      'no change in meaning against revision REVISION-A.., only texts differ\nNothing was changed. Next: svcctl apply\n',
    )
  })

  it('counts the requests of another log, or says that there is none to be read', async () => {
    await traffic()
    edit(LESS)

    const away = await svcctl('plan', '--decisions', 'nowhere')
    const newest = await svcctl('plan', '--newest', '3', '--json')
    const against = await svcctl('plan', '--against', test.dir, '--decisions', join(test.dir, 'decisions'), '--json')

    expect(away).toMatchObject({ code: 0, stdout: expect.stringContaining('2 accounts on plan free') })
    expect(away.stdout).not.toContain('requests')
    expect(away.stderr).toMatch(/^▲ past requests are not counted: nowhere is not on this machine\n$/)
    expect(JSON.parse(newest.stdout).touches.requests).toMatchObject({ requests: 3, refused: 1, only_newest: true })
    expect(JSON.parse(against.stdout).touches).toMatchObject({ accounts: null, requests: { requests: 5, refused: 1 } })
    await expect(svcctl('plan', '--newest', '0')).rejects.toThrow('Write a whole number of at least 1.')
  })

  it('says that the gateway keeps no decision log', async () => {
    await test.reload({}, yaml => `${yaml}\ndecisions: { log: false }\n`)
    edit(LESS)

    const { code, stderr } = await svcctl('plan')

    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: '▲ past requests are not counted: the gateway keeps no decision log\n',
    })
  })

  it('needs neither the variables nor the files of secrets that only the gateway has', async () => {
    writeFileSync(join(test.dir, 'key'), 'sk-1')
    await test.reload({}, yaml => yaml.replace('replicas: [', 'key: "file:key", replicas: ['))
    writeFileSync(join(dir, 'config.yaml'), readFileSync(join(test.dir, 'config.yaml')))
    edit(LESS)

    const { code, stdout, stderr } = await svcctl('plan')

    expect(code).toBe(0)
    expect(stderr).toContain('▲ not compared, because this shell does not have the values: `key` cannot be read\n')
    expect(stdout).toContain('1 change against revision')
    expect(await svcctl('apply', '--yes')).toMatchObject({ code: 0 })
  })
})

describe('svcctl apply', () => {
  it('has the gateway serve the files from the next request on', async () => {
    await traffic()
    edit(LESS)

    const { code, stdout, stderr } = await svcctl('apply', '--yes')

    expect(code).toBe(0)
    expect(`\n${stdout}`).toMatchInlineSnapshot(`
      "
      GATEWAY serves revision REVISION-A.., number 1: loaded at 2026-11-21T10:00:00Z

        ↓ plan free: rpm 20 → 3  config.yaml:14

      Whom it touches
        2 accounts on plan free
        of 5 requests since 2026-11-21T10:00:00Z: 1 newly refused (free 1)

      1 change against revision REVISION-A..: 1 less

      applied: revision REVISION-A.. → REVISION-B.. (number 2)
      "
    `)
    expect(stderr).toBe('▲ no tests found: nothing matches policies/tests/*.test.yaml\n')
    expect(await status(await test.key('free', 'flo'))).toBe(200)
    expect((await svcctl('plan')).stdout).toBe('no change in meaning against revision REVISION-B..\n')
    expect(readFileSync(join(test.dir, 'config.yaml'), 'utf8')).toBe(readFileSync(join(dir, 'config.yaml'), 'utf8'))
  })

  it('prints one object as JSON', async () => {
    await traffic()
    edit(LESS)

    const { code, stdout } = await svcctl('apply', '--yes', '--json')
    const again = await svcctl('apply', '--json')

    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchInlineSnapshot(`
      {
        "changed": true,
        "moved": [],
        "number": 2,
        "plan": {
          "against": "revision REVISION-B..",
          "changes": [
            {
              "field": "rpm",
              "file": "config.yaml",
              "from": "20",
              "kind": "less",
              "line": 14,
              "subject": "plan free",
              "text": "plan free: rpm 20 → 3",
              "to": "3",
            },
          ],
          "touches": {
            "accounts": [
              {
                "accounts": 2,
                "gone": false,
                "plan": "free",
              },
            ],
            "requests": {
              "allowed": 0,
              "broken_lines": 0,
              "moved": 0,
              "only_newest": false,
              "plans": [
                {
                  "allowed": 0,
                  "moved": 0,
                  "plan": "free",
                  "refused": 1,
                  "requests": 4,
                  "rerouted": 0,
                  "unasked": 0,
                  "undeterminable": 0,
                },
              ],
              "refused": 1,
              "requests": 5,
              "rerouted": 0,
              "since": "2026-11-21T10:00:00.000Z",
              "unasked": 0,
              "undeterminable": 0,
            },
          },
          "upgrade": {
            "changes": [],
            "from": "VERSION",
            "to": "VERSION",
            "uncompared": [],
          },
        },
        "previous": "REVISION-B..",
        "revision": "REVISION-A..",
        "tests": {
          "failed": 0,
          "passed": 0,
        },
        "warnings": [],
      }
    `)
    expect(again.code).toBe(0)
    expect(JSON.parse(again.stdout)).toMatchInlineSnapshot(`
      {
        "changed": false,
        "moved": [],
        "number": 2,
        "plan": null,
        "previous": "REVISION-A..",
        "revision": "REVISION-A..",
        "tests": null,
        "warnings": [],
      }
    `)
  })

  it('does nothing, and asks nothing, where the files serve already', async () => {
    expect(await svcctl('apply')).toEqual({
      code: 0,
      stdout: 'nothing to apply: revision REVISION-A.. serves\n',
      stderr: '',
    })
  })

  it('applies a comment too, and says that nothing changes in meaning', async () => {
    edit(['default_model: svc-auto', 'default_model: svc-auto # the small one'])

    const { code, stdout } = await svcctl('apply', '--yes')

    expect(code).toBe(0)
    expect(stdout).toBe(
      'no change in meaning against revision REVISION-A.., only texts differ\n\napplied: revision REVISION-A.. → REVISION-B.. (number 2)\n',
    )
  })

  it('asks first, so that it needs --yes where there is no terminal', async () => {
    edit(LESS)

    expect(await svcctl('apply')).toEqual({
      code: 2,
      stdout: '',
      stderr: '✗ this needs confirmation, but there is no terminal: pass --yes\n',
    })
    expect((await svcctl('plan')).stdout).toContain('1 change against')
  })

  it('stops at files that are not valid, and tells all that is wrong', async () => {
    edit(['rpm: 20', 'rmp: 20'])

    const { code, stdout } = await svcctl('apply', '--yes')
    const json = await svcctl('apply', '--yes', '--json')

    expect(code).toBe(1)
    expect(stdout).toContain('unknown field `rmp`')
    expect(JSON.parse(json.stdout).problems[0]).toMatchObject({ severity: 'error' })
  })

  it('stops at a test that fails, unless tests are skipped', async () => {
    dir = directoryOf({
      'config.yaml': readFileSync(join(dir, 'config.yaml')),
      'policies/tests/a.test.yaml':
        'cases: [{ name: the fourth waits, plan: free, chat: Hi, usage: { minute: { requests: 3 } }, expect: { status: 200 } }]\n',
    })
    edit(LESS)

    const failed = await svcctl('apply', '--yes')
    const json = await svcctl('apply', '--yes', '--json')
    const before = await svcctl('rollback', '--list', '--json')
    const skipped = await svcctl('apply', '--yes', '--skip-tests')

    expect(failed).toMatchObject({ code: 1, stderr: '✗ nothing was applied: a test fails\n' })
    expect(failed.stdout).toMatch(/✗ the fourth waits\n.*\n.*429\n.*stage rate[\s\S]*\n0 passed, 1 failed\n$/)
    expect([json.code, JSON.parse(json.stdout).failed]).toEqual([1, 1])
    expect(JSON.parse(before.stdout)).toHaveLength(1)
    expect(skipped.code).toBe(0)
    expect(skipped.stdout).toContain('\napplied: revision')
  })

  it('names the accounts on a plan that goes, and moves them where it is told to', async () => {
    const key = await test.key('free', 'fred')
    edit(...GONE)

    const refused = await svcctl('apply', '--yes')
    const nowhere = await svcctl('apply', '--yes', '--move-plan', 'free=nothing')
    const moved = await svcctl('apply', '--yes', '--move-plan', 'free=starter')

    expect(refused.code).toBe(1)
    expect(`\n${refused.stderr}`).toMatchInlineSnapshot(`
      "
      ▲ no tests found: nothing matches policies/tests/*.test.yaml
      ▲ past requests are not counted: STATE/decisions is not on this machine
      ✗ accounts are on plans that would be removed: free (1); move them with --move-plan old=new
      "
    `)
    expect(`\n${nowhere.stderr}`).toMatchInlineSnapshot(`
      "
      ▲ no tests found: nothing matches policies/tests/*.test.yaml
      ▲ past requests are not counted: STATE/decisions is not on this machine
      ✗ accounts on free cannot move to nothing: the candidate has no such plan
      "
    `)
    expect(`\n${moved.stdout}`).toMatchInlineSnapshot(`
      "
      GATEWAY serves revision REVISION-A.., number 1: loaded at 2026-11-21T10:00:00Z

        ✗ plan free is gone                   config.yaml:14
        + plan starter is new, with svc-core  config.yaml:14

      Whom it touches
        1 account on plan free, which is gone

      2 changes against revision REVISION-A..: 1 taken away, 1 more

      1 account moved from plan free to plan starter
      applied: revision REVISION-A.. → REVISION-B.. (number 2)
      "
    `)
    expect(await status(key)).toBe(200)
  })

  it('moves accounts where the files serve already too: a gateway that was killed had not moved them', async () => {
    const key = await test.key('free', 'fred')
    edit(...GONE)
    await test.reload({}, () => readFileSync(join(dir, 'config.yaml'), 'utf8'))
    expect(await status(key)).toBe(429)

    const moved = await svcctl('apply', '--yes', '--move-plan', 'free=starter')
    expect(await status(key)).toBe(200)
    const again = await svcctl('rollback', '2', '--yes', '--move-plan', 'free=starter')

    expect(`\n${moved.stdout}`).toMatchInlineSnapshot(`
      "
      no change in meaning against revision REVISION-A..

      1 account moved from plan free to plan starter
      nothing to apply: revision REVISION-A.. serves
      "
    `)
    expect(`\n${again.stdout}`).toMatchInlineSnapshot(`
      "
      no change in meaning against revision REVISION-A..

      0 accounts moved from plan free to plan starter
      nothing to go back to: revision REVISION-A.. serves
      "
    `)
  })

  it('refuses moves that say no plan, or the same one twice', async () => {
    await expect(svcctl('apply', '--move-plan', 'free')).rejects.toThrow('Write OLD=NEW')
    await expect(svcctl('apply', '--move-plan', 'a=b', '--move-plan', 'a=c')).rejects.toThrow('Plan a is moved twice.')
  })

  it('tells to plan again where another revision serves than the one that it was compared with', async () => {
    const base = await servedBase({ admin: test.admin, token: ADMIN_TOKEN }, dir)
    await test.reload({ fields: { free: 'max_concurrent: 3' } })
    const files = [{ file: 'config.yaml', text: readFileSync(join(dir, 'config.yaml'), 'utf8') }]
    const wanted = { base, files, how: 'apply', movePlans: new Map(), revision: 'x', planned: undefined } as const

    const swapped = swap(wanted, { yes: true })

    await expect(swapped).rejects.toMatchObject({ exitCode: 1 })
    await expect(swapped).rejects.toThrow(
      /^✗ Revision [0-9a-f]{12} is in use now, not the one.*\n {2}run svcctl plan again: the revision it compared with is no longer in use$/,
    )
  })
})

describe('svcctl rollback', () => {
  it('goes back to what served before, and forth again', async () => {
    await traffic()
    edit(LESS)
    await svcctl('apply', '--yes')

    const back = await svcctl('rollback', '--yes')
    const forth = await svcctl('rollback', '--yes', '--json')

    expect(back).toMatchObject({ code: 0, stderr: '' })
    expect(`\n${back.stdout}`).toMatchInlineSnapshot(`
      "
      GATEWAY serves revision REVISION-B.., number 2: applied by operator ada@laptop at 2026-11-21T10:00:00Z

        + plan free: rpm 3 → 20  config.yaml:14

      Whom it touches
        2 accounts on plan free
        of 5 requests since 2026-11-21T10:00:00Z: 1 newly allowed (free 1)

      1 change against revision REVISION-B..: 1 more

      rolled back: revision REVISION-B.. → REVISION-A.. (number 3)
      "
    `)
    expect(forth.code).toBe(0)
    expect(JSON.parse(forth.stdout)).toMatchInlineSnapshot(`
      {
        "changed": true,
        "moved": [],
        "number": 4,
        "plan": {
          "against": "revision REVISION-A..",
          "changes": [
            {
              "field": "rpm",
              "file": "config.yaml",
              "from": "20",
              "kind": "less",
              "line": 14,
              "subject": "plan free",
              "text": "plan free: rpm 20 → 3",
              "to": "3",
            },
          ],
          "touches": {
            "accounts": [
              {
                "accounts": 2,
                "gone": false,
                "plan": "free",
              },
            ],
            "requests": {
              "allowed": 0,
              "broken_lines": 0,
              "moved": 0,
              "only_newest": false,
              "plans": [
                {
                  "allowed": 0,
                  "moved": 0,
                  "plan": "free",
                  "refused": 1,
                  "requests": 4,
                  "rerouted": 0,
                  "unasked": 0,
                  "undeterminable": 0,
                },
              ],
              "refused": 1,
              "requests": 5,
              "rerouted": 0,
              "since": "2026-11-21T10:00:00.000Z",
              "unasked": 0,
              "undeterminable": 0,
            },
          },
          "upgrade": {
            "changes": [],
            "from": "VERSION",
            "to": "VERSION",
            "uncompared": [],
          },
        },
        "previous": "REVISION-A..",
        "revision": "REVISION-B..",
        "warnings": [],
      }
    `)
  })

  it('lists what is kept, newest first', async () => {
    edit(LESS)
    await svcctl('apply', '--yes')
    test.clock.advance(3_600_000)
    await svcctl('rollback', '--yes')

    const text = await svcctl('rollback', '--list')
    const json = await svcctl('rollback', '--list', '--json')

    expect(`\n${text.stdout}`).toMatchInlineSnapshot(`
      "
      NUMBER  REVISION      AT                    HOW       BY                   FILES
      3       REVISION-A..  2026-11-21T11:00:00Z  rollback  operator ada@laptop  1      serves
      2       REVISION-B..  2026-11-21T10:00:00Z  apply     operator ada@laptop  1
      1       REVISION-A..  2026-11-21T10:00:00Z  start     start                1
      "
    `)
    expect(JSON.parse(json.stdout)[0]).toMatchInlineSnapshot(`
      {
        "at": "2026-11-21T11:00:00.000Z",
        "by": "operator ada@laptop",
        "files": 1,
        "how": "rollback",
        "number": 3,
        "revision": "REVISION-A..",
        "serves": true,
      }
    `)
  })

  it('goes to a revision by its number, its name, or the beginning of that', async () => {
    for (const rpm of [3, 4, 5]) {
      edit([
        /rpm: \d+, tpm: 40k/.exec(readFileSync(join(dir, 'config.yaml'), 'utf8'))?.[0] ?? '',
        `rpm: ${rpm}, tpm: 40k`,
      ])
      await svcctl('apply', '--yes')
    }
    const names = [...revisions.keys()]

    expect((await svcctl('rollback', '2', '--yes')).stdout).toContain('REVISION-D.. → REVISION-B.. (number 5)')
    expect((await svcctl('rollback', names[0] ?? '', '--yes')).stdout).toContain(
      'REVISION-B.. → REVISION-A.. (number 6)',
    )
    expect((await svcctl('rollback', names[2]?.slice(0, 8) ?? '', '--yes')).stdout).toContain(
      '→ REVISION-C.. (number 7)',
    )
    expect((await svcctl('rollback', '7')).stdout).toBe('nothing to go back to: revision REVISION-C.. serves\n')
    expect(await svcctl('rollback', 'nothing', '--yes')).toEqual({
      code: 1,
      stdout: '',
      stderr: '✗ there is no revision nothing; svcctl rollback --list shows the kept ones\n',
    })
  })

  it('has nothing to go back to at first, and asks before it acts', async () => {
    expect(await svcctl('rollback')).toMatchObject({
      code: 1,
      stderr: '✗ no earlier revision is kept\n',
    })
    edit(LESS)
    await svcctl('apply', '--yes')
    expect(await svcctl('rollback')).toMatchObject({ code: 2, stdout: '' })
  })

  it('goes back to files that cannot be read here too: the gateway judges them', async () => {
    await test.close()
    test = await startTestGateway({ onprem: [backend], env: { FREE_RPM: '7' } })
    const variable = `\${FREE_RPM}`
    await test.reload({}, yaml => yaml.replace('rpm: 20', `rpm: "${variable}"`))
    await test.reload()

    const { code, stdout, stderr } = await svcctl('rollback', '--yes')

    expect([code, stdout]).toEqual([0, 'rolled back: revision REVISION-A.. → REVISION-B.. (number 4)\n'])
    expect(stderr).toMatch(/^▲ its changes cannot be listed on this machine:\n\n✗ .*FREE_RPM is not set/)
  })

  it('runs no tests, and needs no files of its own where the gateway is named', async () => {
    edit(LESS)
    await svcctl('apply', '--yes')
    dir = directoryOf({ 'policies/tests/a.test.yaml': 'this is no test' })

    expect(await svcctl('rollback', '--yes')).toMatchObject({ code: 0, stdout: expect.stringContaining('rolled back') })
  })
})

describe('without a gateway', () => {
  it('plan names --against, and none of them changes anything: exit 3', async () => {
    const env = { SVCCTL_ADMIN: 'http://127.0.0.1:9', SVCCTL_TOKEN: '' }
    const run = (...args: string[]) => runCommand(register, args, { cwd: dir, env })

    expect(await run('plan')).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringMatching(
        /^✗ no gateway answers at http:\/\/127.0.0.1:9.*\n {2}without one, name what to compare with: --against/,
      ),
    })
    expect(await run('apply', '--yes')).toMatchObject({ code: 3, stdout: '' })
    expect(await run('rollback', '--yes')).toMatchObject({ code: 3, stdout: '' })
  })
})
