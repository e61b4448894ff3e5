// Measures what the operators' start page costs their browser, with 1,000 accounts, a day of series and a constant flow of
// requests.
import { setTimeout as sleep } from 'node:timers/promises'
import { openSite } from './site.js'

const ACCOUNTS = 1000
const REQUESTS_A_SECOND = 50
const MEASURED_MS = 30_000

/** Milliseconds of script, and of all work on the page's thread, per second of Live. */
export async function measureLive(browser) {
  const site = await openSite(ACCOUNTS)
  try {
    const page = await openLive(browser, site)
    const stop = keepAsking(site)
    const measured = await measure(page)
    const requests = await stop()
    return { ...measured, requests: requests / ((MEASURED_MS + WARM_UP_MS) / 1000), accounts: ACCOUNTS }
  } finally {
    await site.close()
  }
}

const WARM_UP_MS = 5000

async function measure(page) {
  const client = await page.context().newCDPSession(page)
  // Counts CPU time of the thread, so other load on the machine does not matter.
  await client.send('Performance.enable', { timeDomain: 'threadTicks' })
  const read = async () => {
    const { metrics } = await client.send('Performance.getMetrics')
    const of = name => metrics.find(metric => metric.name === name).value * 1000
    return { script: of('ScriptDuration'), task: of('TaskDuration') }
  }
  await sleep(WARM_UP_MS)
  const before = await read()
  await sleep(MEASURED_MS)
  const after = await read()
  const seconds = MEASURED_MS / 1000
  return { script: (after.script - before.script) / seconds, task: (after.task - before.task) / seconds }
}

/** Opens Live with a day of made-up series, since the gateway has just started. */
async function openLive(browser, { admin, ask }) {
  const { code } = await ask('console/code', {})
  const context = await browser.newContext({ viewport: { width: 1920, height: 1080 } })
  const page = await context.newPage()
  await page.route('**/admin/series?*', route => {
    const query = new URL(route.request().url()).searchParams
    return route.fulfill({ json: seriesOf(Number(query.get('minutes')), Number(query.get('step'))) })
  })
  await page.goto(`http://127.0.0.1:${admin}/console?span=day#code=${code}`)
  await page.getByText(`${ACCOUNTS.toLocaleString('en-US')} accounts`).waitFor()
  await page.locator('figure path').first().waitFor()
  return page
}

function seriesOf(minutes, step) {
  const now = Math.floor(Date.now() / 60_000)
  const length = minutes / step
  const point = at => {
    const load = Math.round(3000 + 2000 * Math.sin(at / 20))
    return {
      at: new Date((now - (length - at) * step) * 60_000).toISOString(),
      ...{ requests: load, served: load - 60, refused: 40, failed: 15, left: 5 },
      ...{ input_tokens: load * 900, output_tokens: load * 300, cost_nano_usd: load * 4e6 },
      ...{ p50_ms: 400 + (at % 30), p95_ms: 2000 + (at % 90), first_token_p50_ms: 90, first_token_p95_ms: 300 + at },
    }
  }
  const data = Array.from({ length }, (_, at) => point(at))
  const names = (count, name) =>
    Array.from({ length: count }, (_, at) => ({ name: `${name}-${at}`, requests: 1000, failed: 3 }))
  return {
    object: 'series',
    ...{ from: data[0].at, until: new Date(now * 60_000).toISOString(), as_of: new Date().toISOString() },
    ...{ step_seconds: step * 60, total: data[0], models: names(20, 'model'), pools: names(10, 'pool'), data },
  }
}

/** Sends requests of all accounts in turns until stopped; stopping resolves to their number. */
function keepAsking({ chat, keys }) {
  let sent = 0
  const open = new Set()
  const timer = setInterval(() => {
    const request = chat(keys[(sent++ * 7) % keys.length]).finally(() => open.delete(request))
    open.add(request)
  }, 1000 / REQUESTS_A_SECOND)
  return async () => {
    clearInterval(timer)
    await Promise.all(open)
    return sent
  }
}
