import { execFile } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HANGS_MS } from '../lanes/hangs.ts'
import { removeFolder } from '../lanes/remove-folder.ts'
import { answer } from '../support/backend.ts'
import { hasChromium, openWindow, signIn, startChromium, type Window } from './chromium.ts'
import { type Site, startSite } from './site.ts'

const run = promisify(execFile)
const SDKS = fileURLToPath(new URL('../sdk/', import.meta.url))
const PYTHON = fileURLToPath(new URL('../agents/.venv/bin/python', import.meta.url))
const AGENTS = fileURLToPath(new URL('../agents/node_modules/.bin/', import.meta.url))

/** Packages that a snippet needs are there; said loudly where they are not. */
function hasAll(what: string, found: boolean, how: string): boolean {
  if (!found) console.warn(`test/console: snippets for ${what} are not run: ${how}`)
  return found
}
const resolves = (name: string): boolean => {
  try {
    createRequire(SDKS).resolve(name)
    return true
  } catch {
    return false
  }
}
const hasSdks = hasAll('Node', resolves('openai') && resolves('ai'), 'npm ci --prefix test/sdk')
const hasPython = hasAll('Python', existsSync(PYTHON), 'sh test/agents/install.sh')
const hasCline = hasAll('Cline', existsSync(`${AGENTS}cline`), 'sh test/agents/install.sh')

describe.skipIf(!hasChromium)('a snippet of the console, with a key that was copied,', () => {
  let site: Site
  let browser: Browser
  let window: Window
  let page: Page
  let home: string

  beforeAll(async () => {
    ;[site, browser] = await Promise.all([startSite(), startChromium()])
    site.backend.always(answer({ content: 'Hello from the gateway' }))
    window = await openWindow(browser, [site.url, site.issuer], { permissions: ['clipboard-read', 'clipboard-write'] })
    page = window.page
    home = mkdtempSync(join(tmpdir(), 'svc-snippets-'))
    await page.goto(`${site.url}/console/keys`)
    await signIn(page, 'ada')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.locator('[data-key]').waitFor()
  })
  afterAll(async () => {
    const { faults } = window
    await window.close()
    await browser?.close()
    await site?.close()
    await removeFolder(home)
    expect(faults).toEqual([])
  })

  const copied = async (tab: string): Promise<string> => {
    await page.getByRole('tab', { name: tab, exact: true }).click()
    await page.getByRole('button', { name: 'Copy snippet' }).click()
    return (await page.evaluate('navigator.clipboard.readText()')) as string
  }
  const key = async () => (await page.locator('[data-key]').textContent()) ?? ''
  /** Its output. None of this machine's settings reach it. */
  const outputOf = async (command: string, args: readonly string[], env: Record<string, string> = {}, cwd = home) => {
    const PATH = `${env.PATH ?? ''}:${process.env.PATH}`
    const { stdout } = await run(command, [...args], { cwd, timeout: HANGS_MS, env: { ...env, PATH, HOME: home } })
    return stdout
  }
  /** A program of this name, which stands for one that is not installed: it takes what the snippet set. */
  const standIn = (name: string, script: string): string => {
    const folder = join(home, `bin-${name}`)
    mkdirSync(folder, { recursive: true })
    writeFileSync(
      join(folder, name),
      `#!/bin/sh\ncd '${SDKS}' && exec '${process.execPath}' --input-type=module -e '${script}'\n`,
    )
    chmodSync(join(folder, name), 0o755)
    return folder
  }
  const HELLO = 'Hello from the gateway'

  it('runs as curl', async () => {
    expect(await outputOf('sh', ['-c', await copied('curl')])).toContain(HELLO)
  })

  it('runs in a shell that has it in its environment', async () => {
    const shell = `${await copied('Environment')}\ncurl -s "$OPENAI_BASE_URL/models" -H "authorization: Bearer $OPENAI_API_KEY"`

    expect(await outputOf('sh', ['-c', shell])).toContain('"svc-auto"')
    expect(shell).toContain(await key())
  })

  it.skipIf(!hasSdks).each(['Node', 'AI SDK'])('runs as %s', async tab => {
    const output = await outputOf(process.execPath, ['--input-type=module', '-e', await copied(tab)], {}, SDKS)

    expect(output.trim()).toBe(HELLO)
  })

  it.skipIf(!hasPython).each(['Python', 'LangChain'])('runs as %s', async tab => {
    expect((await outputOf(PYTHON, ['-c', await copied(tab)])).trim()).toBe(HELLO)
  })

  it('gives Claude Code what a client of Anthropic needs, with room for its first prompt and its answer', async () => {
    const bin = standIn(
      'claude',
      `const { ANTHROPIC_BASE_URL, ANTHROPIC_AUTH_TOKEN, ANTHROPIC_MODEL, ANTHROPIC_SMALL_FAST_MODEL } = process.env
const ask = (model, max_tokens, content) =>
  fetch(ANTHROPIC_BASE_URL + "/v1/messages", {
  method: "POST",
  headers: { authorization: "Bearer " + ANTHROPIC_AUTH_TOKEN, "content-type": "application/json", "anthropic-version": "2023-06-01" },
  body: JSON.stringify({ model, max_tokens, messages: [{ role: "user", content }] })
}).then(response => response.json())
const errand = await ask(ANTHROPIC_SMALL_FAST_MODEL, 100, "A title, please")
if (errand.content === undefined) throw new Error(JSON.stringify(errand))
const answer = await ask(ANTHROPIC_MODEL, Number(process.env.CLAUDE_CODE_MAX_OUTPUT_TOKENS), "word ".repeat(21000))
console.log(answer.content ? answer.content[0].text : JSON.stringify(answer))`,
    )

    const shell = await copied('Claude Code')
    expect((await outputOf('sh', ['-c', shell], { PATH: bin })).trim()).toBe(HELLO)
    expect(shell).toContain('export ANTHROPIC_MODEL=svc-pro')
  })

  it.skipIf(!hasSdks)('gives Codex what a client of Responses needs', async () => {
    const toml = await copied('Codex')
    const field = (name: string) => new RegExp(`^${name} = "(.*)"$`, 'm').exec(toml)?.[1] ?? ''
    const bin = standIn(
      'codex',
      `import OpenAI from "openai"
const client = new OpenAI({ baseURL: "${field('base_url')}", apiKey: process.env.${field('env_key')} })
console.log((await client.responses.create({ model: "${field('model')}", input: "Hi" })).output_text)`,
    )
    const shell = `${await copied('Environment')}\ncodex`

    expect(field('wire_api')).toBe('responses')
    expect((await outputOf('sh', ['-c', shell], { PATH: bin })).trim()).toBe(HELLO)
  })

  it.skipIf(!hasCline)('signs Cline in, which then works', async () => {
    const [auth = ''] = (await copied('Cline')).split('\n')
    const env = { PATH: AGENTS, CLINE_SESSION_BACKEND_MODE: 'local', CLINE_NO_AUTO_UPDATE: '1' }
    await outputOf('sh', ['-c', auth], env)
    const before = site.backend.requests.length

    await outputOf('sh', ['-c', "cline --json 'Say hello'"], env).catch(() => undefined)
    expect(site.backend.requests.length).toBeGreaterThan(before)
  })
})
