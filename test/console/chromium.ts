import { existsSync } from 'node:fs'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { HANGS_MS } from '../lanes/hangs.ts'

/** The first one draws no windows, and takes half the CPU of the others. */
const PATHS = [
  '/usr/lib/chromium/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]
const path = process.env.CHROMIUM ?? PATHS.find(each => existsSync(each))

/** Whether there is a browser to test with. CI counts what is skipped, and fails. */
export const hasChromium = path !== undefined
if (!hasChromium) console.warn('test/console is skipped: no chromium is installed (apt-get install chromium)')

export const startChromium = (...flags: readonly string[]): Promise<Browser> =>
  chromium.launch({
    executablePath: path ?? '',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...flags,
    ],
  })

/** A window of a person of its own, and what went wrong in it. */
export interface Window {
  readonly context: BrowserContext
  readonly page: Page
  /** Errors of pages, of the console, and of policies; requests to any place but these origins. */
  readonly faults: string[]
  close(): Promise<void>
}

/** Opens a window whose pages may ask these origins alone. */
export async function openWindow(
  browser: Browser,
  origins: readonly string[],
  options: BrowserContextOptions = {},
): Promise<Window> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
  const faults: string[] = []
  context.on('weberror', error => faults.push(`page error: ${error.error().message}`))
  context.on('console', message => {
    if (message.type() === 'error') faults.push(`console: ${message.text()} ${message.location().url}`)
  })
  context.on('request', request => {
    const { origin, protocol } = new URL(request.url())
    if (protocol !== 'blob:' && !origins.includes(origin)) faults.push(`asks ${request.url()}`)
  })
  context.setDefaultTimeout(HANGS_MS)
  const page = await context.newPage()
  return { context, page, faults, close: () => context.close() }
}

/** Everything that a page keeps outside its memory: both storages, cookies that scripts read, address and history. */
export const keptBy = (page: Page): Promise<unknown> =>
  page.evaluate('[{ ...sessionStorage }, { ...localStorage }, document.cookie, location.href, history.state]')

/** Signs in at the provider of the demo, from a door of the console. */
export async function signIn(page: Page, user: string): Promise<void> {
  await page.getByRole('button', { name: 'Sign in with' }).click()
  await page.getByRole('button', { name: new RegExp(`^${user} `) }).click()
  await page.getByText(`${user}@example.com`).waitFor()
}

/** Makes a key of who is signed in, and leaves its page as it was before there was one. */
export async function makeKey(page: Page): Promise<string> {
  await page.locator('nav a[href$="/keys"]').click()
  await page.getByRole('button', { name: 'Create key' }).click()
  const key = (await page.locator('[data-key]').textContent()) ?? ''
  page.once('dialog', dialog => void dialog.accept())
  await page.getByRole('button', { name: 'I have saved it' }).click()
  await page.locator('[data-key]').waitFor({ state: 'detached' })
  return key
}
