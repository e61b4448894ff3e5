import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { blocksOf } from '../docs/page.ts'
import { HANGS_MS } from '../lanes/hangs.ts'
import { newAuthority } from '../support/authority.ts'
import { letSignIn } from '../support/identity/signed-in.ts'
import { did } from '../support/operator.ts'
import { describeTmux, openTerminal, type Terminal } from '../support/terminal/tmux.ts'
import { startTlsProxy } from '../support/tls-proxy.ts'
import { LATER_CLAUDE_CODE } from './setups/claude-code.ts'
import { makeSite } from './support/agent.ts'
import { installedFile, isInstalled } from './support/installed.ts'
import { type Rig, startRig } from './support/rig.ts'

const ANSWER = 'The gauge of Oslo says 8.5 mm.'

/** The settings of docs/how-to/claude-login.md: those of the gateway, and those of a developer. */
const BLOCKS = blocksOf('docs/how-to/claude-login.md')
const blockOf = (language: string) => BLOCKS.find(block => block.language === language)?.text ?? ''
const { console_client_id: CLIENT, claude_login: LOGIN } = (
  parse(blockOf('yaml')) as {
    readonly identity: {
      readonly console_client_id: string
      readonly claude_login: { readonly notice: string; readonly settings: { readonly pro: { readonly env?: object } } }
    }
  }
).identity
const [NOTICE = ''] = LOGIN.notice.split(/(?<=\.) /)
/** Without `env`, which Claude Code asks the developer to trust, and then starts its screen again. */
const { env: _env, ...SETTINGS } = LOGIN.settings.pro
const SETTINGS_OF_PLAN = JSON.stringify({ ...LOGIN, settings: { pro: SETTINGS } })

interface Desk {
  readonly rig: Rig
  /** As developers type it. */
  readonly address: string
  readonly home: string
  /** The access token of the person who approves the code. */
  readonly person: string
  readonly terminal: Terminal
}

/** A developer's machine beside a gateway: by plain HTTP, or by TLS with an authority of the company's own. */
async function openDesk(tls: boolean): Promise<Desk> {
  const { home, work, remove } = makeSite()
  onTestFinished(remove)
  const rig = await startRig('native', () => ({ text: ANSWER }), '', { now: true })
  onTestFinished(() => rig.close())
  const authority = tls ? newAuthority() : undefined
  const proxy = authority && (await startTlsProxy(rig.test.url, authority.sign('llm.example.com')))
  if (proxy) onTestFinished(() => proxy.close())
  const address = proxy?.url ?? rig.test.url
  const oidc = await letSignIn(
    rig.test,
    { ada: { plan: 'pro', email: 'ada@example.com' } },
    {
      identity: `console_client_id: ${CLIENT}, claude_login: ${SETTINGS_OF_PLAN}`,
    },
    address,
  )
  onTestFinished(() => oidc.stop())
  const settings = blockOf('json').replace('https://llm.example.com', address)
  const known = {
    hasCompletedOnboarding: true,
    theme: 'dark',
    projects: { [work]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
  }
  mkdirSync(join(home, '.claude'), { recursive: true })
  writeFileSync(join(home, '.claude/settings.json'), settings)
  writeFileSync(join(home, '.claude.json'), JSON.stringify(known))
  if (authority) writeFileSync(join(home, 'authority.pem'), authority.ca)
  const terminal = openTerminal(
    {
      HOME: home,
      DISABLE_AUTOUPDATER: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      BROWSER: 'true',
      IS_SANDBOX: '1',
      ...(authority && { NODE_EXTRA_CA_CERTS: join(home, 'authority.pem') }),
    },
    work,
  )
  onTestFinished(() => terminal.close())
  const { accessToken: person } = await oidc.signIn('ada')
  return { rig, address, home, person, terminal }
}

/** Claude Code takes many seconds of CPU to start. */
const PATIENCE_MS = 3 * HANGS_MS

describeTmux('Claude Code in a terminal', { timeout: 10 * HANGS_MS }, () => {
  it.skipIf(!isInstalled({ registry: 'npm', name: LATER_CLAUDE_CODE })).each([
    ['plain HTTP', false],
    ['TLS with an authority of its own', true],
  ] as const)(
    'goes by %s from /login to an answer without a key, and a freeze ends the next request and the next refresh',
    async (_, tls) => {
      const { rig, address, home, person, terminal } = await openDesk(tls)
      /** Waits for a screen that shows this. */
      const shows = async (text: RegExp): Promise<string> => {
        await expect.poll(() => terminal.screen(), { interval: 200, timeout: PATIENCE_MS }).toMatch(text)
        return terminal.screen()
      }
      /** Chooses an entry of the list on the screen, whichever is marked. */
      const choose = async (entry: RegExp): Promise<void> => {
        await shows(entry)
        const marked = () => terminal.screen().match(/❯.*/g)?.join('\n') ?? ''
        for (let before = marked(); !entry.test(before); before = marked()) {
          terminal.press('Down')
          await expect.poll(marked, { interval: 50, timeout: PATIENCE_MS }).not.toBe(before)
        }
        terminal.press('Enter')
      }
      /** Goes on from each screen that waits for it, until one shows this. A slow one may show before it takes keys. */
      const goesOn = async (text: RegExp): Promise<void> => {
        const goOn = () => {
          const screen = terminal.screen()
          if (/Press Enter to continue/.test(screen)) terminal.press('Enter')
          return screen
        }
        await expect.poll(goOn, { interval: 500, timeout: PATIENCE_MS }).toMatch(text)
      }
      const decide = (verb: 'approve' | 'deny', user_code: string, token: string) =>
        fetch(`${rig.test.url}/v1/account/device/${verb}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ user_code }),
        })

      terminal.press(installedFile(`${LATER_CLAUDE_CODE}/bin/claude.exe`), 'Enter')
      await shows(/Not logged in/)
      terminal.press('/login')
      await shows(/\/login/)
      terminal.press('Enter')
      await shows(/Press Enter to connect|Enter to connect/)
      expect(terminal.screen()).toContain(address)
      terminal.press('Enter')
      await choose(/Yes, trust this gateway/)

      const waiting = await shows(/[B-Z]{4}-[B-Z]{4}/)
      expect(waiting).toContain(NOTICE)
      const code = /\b([B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4})\b/.exec(waiting)?.[1] ?? ''
      expect((await decide('approve', code, person)).status).toBe(200)
      await shows(/ada@example\.com/)
      await choose(/Yes, continue/)
      await goesOn(/auto mode|for shortcuts/)
      terminal.press('What does the gauge of Oslo say?', 'Enter')
      await shows(/says 8\.5 mm/)

      // In auto mode it asks for a safety check of Anthropic's own first, and again without it once that is refused.
      const asked = rig.test.log.filter(({ path }) => path === '/v1/messages')
      expect(asked.at(-1)).toMatchObject({ status: 200, account: expect.stringMatching(/^acct_/) })
      expect(asked.every(({ key }) => key === undefined)).toBe(true)
      const account = asked.at(-1)?.account ?? ''
      expect(new Set((await rig.test.ledger()).map(row => row.account))).toEqual(new Set([account]))
      expect(rig.test.log).toContainEqual(expect.objectContaining({ path: '/managed/settings', status: 200, account }))

      await did(rig.test, 'accounts/freeze', { account })
      terminal.press('And now?', 'Enter')
      await shows(/froze this account/)
      const stored = JSON.parse(readFileSync(join(home, '.claude/.credentials.json'), 'utf8'))
      const refreshed = await fetch(`${rig.test.url}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'refresh_token',
          refresh_token: stored.enterpriseGateway.idpRefreshToken,
        }),
      })
      expect([refreshed.status, await refreshed.json()]).toMatchObject([401, { error: 'invalid_grant' }])
    },
  )
})
