import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest'
import { answer, type Backend, startBackend } from '../../support/backend.ts'
import { describeTmux, openTerminal, type Terminal } from '../../support/terminal/tmux.ts'
import { compileProgram, type Program } from '../program.ts'
import { filesOf, type Site, startSite, yamlOf } from '../site.ts'

let program: Program
let backend: Backend

beforeAll(async () => {
  program = compileProgram()
  backend = await startBackend()
  backend.always(answer({ content: 'Hi', usage: { prompt_tokens: 900, completion_tokens: 30, total_tokens: 930 } }))
}, 60_000)

afterAll(async () => {
  await program.end()
  await backend.close()
})

describeTmux('quota tail on a terminal', () => {
  let site: Site
  let terminal: Terminal
  let keys: Record<'ada' | 'bob' | 'eve', string>
  beforeEach(async () => {
    const yaml = yamlOf(backend.url).replace(
      'plans: {',
      'plans: { free: { models: all, rpm: 3, tpm: 40k, monthly_usd: 1 },',
    )
    site = await startSite(program, filesOf({ 'config.yaml': yaml }), 'config.yaml')
    keys = { ada: await mint('ada', 'pro'), bob: await mint('bob', 'free'), eve: await mint('eve', 'free') }
    terminal = openTerminal(site.env, site.dir)
    onTestFinished(() => terminal.close())
    await terminal.shows(/[$#]$/m)
    terminal.press(`bash -c 'echo $$ > pid; exec node ${program.main} quota tail'; echo "left with $?"`, 'Enter')
  }, 60_000)

  async function mint(account: string, plan: string): Promise<string> {
    const { SVCCTL_ADMIN: admin, SVCCTL_TOKEN: token } = site.env
    const response = await fetch(`${admin}/admin/keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ account, plan }),
    })
    return ((await response.json()) as { value: string }).value
  }
  const served = async (key: string) => (await site.chat(key)).status
  /** The accounts from top to bottom. */
  const order = () => terminal.screen().match(/(?<=^[ ›] )(ada|bob|eve)\b/gm)
  const left = async (code: number) => {
    const screen = await terminal.shows(`left with ${code}`)
    // The earlier screen is restored, without a trace of the view.
    expect(screen).toMatch(/^\S+[$#] bash -c/)
    expect(screen).not.toContain('ACCOUNT')
    expect(terminal.state()).toEqual({ alternate: false, cursor: true })
  }

  it('rows move while requests run; filter, sort, pause, requests and revoke work; q leaves the terminal clean', async () => {
    await terminal.shows(/eve +free +░{10,} \$0\.00\/1\.00 +0\/3 +0\/40k/)
    expect(terminal.state().alternate).toBe(true)
    expect(order()).toEqual(['ada', 'bob', 'eve'])

    expect(await served(keys.eve)).toBe(200)
    await terminal.shows(/› eve +free +░{10,} <\$0\.01\/1\.00 +1\/3 +930\/40k +- +200 \d+ms svc-core/)
    expect(order()).toEqual(['eve', 'ada', 'bob'])
    await served(keys.bob)
    await expect.poll(order).toEqual(['bob', 'eve', 'ada'])
    for (let each = 0; each < 3; each++) await served(keys.eve)
    await terminal.shows(/eve +free .* 3\/3 .* 429 requests/)

    terminal.press('s')
    await terminal.shows('by quota')
    await expect.poll(order).toEqual(['eve', 'bob', 'ada'])
    terminal.press('/', 'pro')
    await terminal.shows(/1 of 3 accounts/)
    expect(order()).toEqual(['ada'])
    terminal.press('Enter')
    await terminal.shows('/ filter `pro`')
    terminal.press('Escape')
    // A key in the same breath as Escape is another key: the filter is gone first.
    await terminal.shows(/· 3 accounts/)

    terminal.press('p')
    await terminal.shows('PAUSED')
    await served(keys.ada)
    await site.gateway.until(/(?: {2}200 {2}[\s\S]*){5}/)
    expect(terminal.screen()).toMatch(/ada +pro +░{10,} \$0\.00/)
    terminal.press('p')
    await terminal.shows(/ada +pro +░{10,} <\$0\.01/)

    terminal.press('Up', 'Up', 'Up', 'Enter')
    await terminal.shows(/Requests of eve \(acct_/)
    expect(terminal.screen().match(/\d\d:\d\d:\d\d {2}(200|429)/g)).toHaveLength(4)
    terminal.press('Escape')
    await terminal.shows('ACCOUNT')

    terminal.press('r')
    await terminal.shows(/Revoke the key of eve \(acct_/)
    terminal.press('n')
    await terminal.shows('↑↓ select')
    terminal.press('Down', 'r')
    await terminal.shows(/Revoke the key of bob/)
    expect(await served(keys.bob)).toBe(200)
    terminal.press('y')
    await terminal.shows(/✓ revoked svc_\w{4}… of bob/)
    expect(await served(keys.bob)).toBe(401)
    expect(await served(keys.ada)).toBe(200)

    terminal.press('q')
    await left(0)
  })

  it('Ctrl-C leaves the terminal clean', async () => {
    await terminal.shows('ACCOUNT')
    terminal.press('C-c')
    await left(0)
  })

  it('SIGTERM leaves the terminal clean', async () => {
    await terminal.shows('ACCOUNT')
    process.kill(Number(readFileSync(join(site.dir, 'pid'), 'utf8')), 'SIGTERM')
    await left(0)
  })

  it('a gateway that goes is told, with exit code 3, on a clean terminal', async () => {
    // The accounts have been read by then: whoever kills it while they are is told what could not be asked.
    await terminal.shows(/eve +free/)
    await site.gateway.end('SIGKILL')
    await left(3)
    expect(terminal.screen()).toMatch(/✗ the gateway at \S+ is gone/)
  })

  it('NO_COLOR has no colours, and shows what is selected all the same', async () => {
    await terminal.shows('› ada')
    expect(terminal.looks()).toMatch(/7m[^\n ]*› ada/)
    terminal.press('q')
    await terminal.shows('left with 0')
    terminal.press(`clear; NO_COLOR=1 node ${program.main} quota tail`, 'Enter')
    await terminal.shows('› ada')
    expect(terminal.looks()).not.toContain('\u001B[')
  })

  it('a window that changes its size is filled, and never overrun', async () => {
    await terminal.shows('ACCOUNT')
    terminal.resize(80, 12)
    await terminal.shows(/^svcctl quota tail.*\n\n[^\n]*ACCOUNT/)
    await served(keys.eve)
    await terminal.shows(/eve +free +░+ <\$/)
    terminal.press('q')
    await terminal.shows('left with 0')
  })
})
