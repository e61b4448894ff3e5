import { createClient } from '@keyv/redis'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from 'vitest'
import { describeRedis, type RedisServer, useRedis } from '../support/redis/redis.ts'
import { hasChromium, openWindow, startChromium, type Window } from './chromium.ts'
import { type Site, startSite } from './site.ts'

/**
 * Tests of the console: each has a site and a window of its own, unless they share one, and fails by what goes wrong in its
 * window. The gateway has the embedded store; a browser sees no store, so Redis is there only for pages that tell them apart.
 */
export function describeConsole(name: string, options: RigOptions, define: (rig: () => Rig) => void): void {
  describe.skipIf(!hasChromium)(name, () => {
    describe('with the embedded store', () => define(rigOf(options)))
    if (options.alsoRedis) describeRedis('with Redis', () => define(rigOf(options, useRedis())))
  })
}

/** The equipment of a test. */
export interface Rig {
  readonly browser: Browser
  readonly site: Site
  readonly window: Window
  readonly page: Page
}

interface RigOptions {
  /** The listener that the window opens: it may ask only this one and the provider of sign-ins. */
  readonly door: 'public' | 'admin'
  readonly window?: BrowserContextOptions
  /** The tests go on from each other, at one site and in one window. */
  readonly shared?: true
  /** The tests run with Redis too. */
  readonly alsoRedis?: true
  /** Faults with this text are what is tested. */
  readonly expects?: string
  /** Runs before a test; before the first one of those that share. */
  readonly enter?: (rig: Rig) => Promise<void>
}

/** Permissions for copying a key. */
export const WITH_CLIPBOARD: BrowserContextOptions = { permissions: ['clipboard-read', 'clipboard-write'] }

function rigOf(
  { door, window: options = {}, shared, expects, enter }: RigOptions,
  redis?: () => RedisServer,
): () => Rig {
  let browser: Browser
  let rig: Rig | undefined
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser?.close())

  const begin = async () => {
    if (redis) await empty(redis())
    const site = await startSite(redis ? { redis: redis() } : {})
    const window = await openWindow(browser, [door === 'admin' ? site.admin : site.url, site.issuer], options)
    rig = { browser, site, window, page: window.page }
    await enter?.(rig)
  }
  const end = async () => {
    await rig?.window.close()
    await rig?.site.close()
  }
  if (shared) {
    beforeAll(begin)
    afterAll(end)
  } else beforeEach(begin)
  afterEach(async () => {
    if (!shared) await end()
    const faults = rig?.window.faults.splice(0) ?? []
    expect(faults.filter(fault => expects === undefined || !fault.includes(expects))).toEqual([])
  })
  return () => {
    if (!rig) throw new Error('the site is started before the first test, not while they are collected')
    return rig
  }
}

async function empty({ url }: RedisServer): Promise<void> {
  const client = createClient({ url })
  await client.connect()
  await client.flushAll()
  await client.quit()
}
