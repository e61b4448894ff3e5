// Measures how soon the console appears: the first contentful paint of the sign-in page, with and without a cache, and a
// reload of a signed-in session until it shows figures. Medians of nine, on the demo. Then it measures what Live costs an
// operator's browser per second, and fails above its limit. `node bench/console.js`, after a build; it needs Chromium.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { chromium } from 'playwright-core'
import { freePort } from './console/free-port.js'
import { measureLive } from './console/live.js'

const ROUNDS = 9
/** Milliseconds of script in each second of Live. */
const MOST_SCRIPT_MS = 50

const port = await freePort()
const gateway = spawn(process.execPath, ['bin/svcctl.js', 'serve', '--demo', '--port', String(port)])
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
})
try {
  for await (const line of createInterface({ input: gateway.stdout })) if (line.includes('/console')) break
  gateway.stdout.resume()
  const url = `http://localhost:${port}/console`
  // The first page also starts the browser's processes.
  await paintOf(await newPage(), url)

  const cold = []
  for (let round = 0; round < ROUNDS; round++) cold.push(await paintOf(await newPage(), url))
  const page = await newPage()
  const warm = []
  await paintOf(page, url)
  for (let round = 0; round < ROUNDS; round++) warm.push(await paintOf(page, url))
  await page.getByRole('button', { name: 'Sign in with' }).click()
  await page.getByRole('button', { name: /^ada / }).click()
  await page.getByRole('meter').first().waitFor()
  const reloads = []
  for (let round = 0; round < ROUNDS; round++) {
    const begun = performance.now()
    await page.reload({ waitUntil: 'commit' })
    await page.getByRole('meter').first().waitFor()
    reloads.push(performance.now() - begun)
  }
  console.log(`first paint, nothing cached   ${medianOf(cold)} ms`)
  console.log(`first paint, files cached     ${medianOf(warm)} ms`)
  console.log(`reload, signed in, to figures ${medianOf(reloads)} ms`)
  const { script, task, accounts, requests } = await measureLive(browser)
  console.log(`Live, ${accounts} accounts, a day of series, ${requests.toFixed(0)} requests a second:`)
  console.log(
    `script ${script.toFixed(1)} ms a second (at most ${MOST_SCRIPT_MS}), with layout and paint ${task.toFixed(1)} ms`,
  )
  if (script > MOST_SCRIPT_MS) process.exitCode = 1
} finally {
  await browser.close()
  gateway.kill()
  await once(gateway, 'exit')
}

async function newPage() {
  const context = await browser.newContext()
  return context.newPage()
}

async function paintOf(page, url) {
  await page.goto(url)
  await page.getByRole('button', { name: 'Sign in with' }).waitFor()
  return page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0].startTime)
}

function medianOf(numbers) {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1].toFixed(0)
}
