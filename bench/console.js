// How soon the console is seen: first contentful paint of the door, with and without a cache, and a reload of who is signed
// in until figures are there. Medians of nine, on the demo. `node bench/console.js`, after a build; it needs Chromium.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { chromium } from 'playwright-core'

const ROUNDS = 9

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
  // The first one starts processes of the browser.
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

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  return port
}
