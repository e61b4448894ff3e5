import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Backend, type Behaviour, startBackend, stream } from '../support/backend.ts'
import { startTestGateway, type TestGateway } from '../support/gateway.ts'
import { times } from '../support/times.ts'

const BAD = times(5)
const RELOADS = 4 * BAD
const STREAMS = 40 * BAD
const AT_ONCE = 8 * BAD

let backends: readonly [Backend, Backend]
let test: TestGateway

beforeEach(async () => {
  backends = [await startBackend(), await startBackend()]
  for (const backend of backends) backend.always(scripted)
  test = await startTestGateway({ onprem: [backends[0]] })
})

afterEach(async () => {
  await test.close()
  await Promise.all(backends.map(backend => backend.close()))
})

/** Says what follows from the number in the prompt, in as many chunks as follow from it. */
const scripted: Behaviour = exchange => {
  const { messages } = exchange.seen.body
  const number = Number(/"content":"(\d+)"/.exec(JSON.stringify(messages))?.[1])
  const chunks = Array.from(
    { length: 4 + (number % 9) },
    (_, i) => `${number}·${'äß€😀'.repeat(1 + ((number * i) % 7))}`,
  )
  return stream({ chunks, gapMs: 1 + (number % 5) })(exchange)
}

async function textOf(key: string, number: number): Promise<string> {
  const messages = [{ role: 'user', content: String(number) }]
  const response = await test.chat(key, { stream: true, messages, max_tokens: 100 })
  return response.text()
}

/** The texts of all streams, as many at a time as AT_ONCE; `over` hears of each that ended, and every quarter waits for `turn`. */
async function allTexts(key: string, over: () => void, turn: () => Promise<void>): Promise<string[]> {
  const texts: string[] = []
  let next = 0
  const client = async () => {
    while (next < STREAMS) {
      const number = next++
      if (number % (STREAMS / 4) === 0) await turn()
      texts[number] = await textOf(key, number)
      over()
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, client))
  return texts
}

/** Other replicas, prices and deadlines each time; every fifth of them is no configuration. */
async function reloadOnce(round: number): Promise<void> {
  const [a, b] = backends
  const onprem = [[a], [b], [a, b]][round % 3] ?? [a]
  const isBad = round % (RELOADS / BAD + 1) === RELOADS / BAD
  const reloaded = await test.reload({ onprem, yaml: `failover: { idle_timeout: ${10 + round}s }` }, yaml =>
    isBad ? yaml.replace('rpm: 20', 'rpm: twenty') : yaml.replace('output: 10', `output: ${10 + round}`),
  )
  expect('denial' in reloaded).toBe(isBad)
}

it(`${STREAMS} streams over ${RELOADS} reloads and ${BAD} bad files are byte for byte what they are without`, async () => {
  const key = await test.key('pro')
  const calm = await allTexts(
    key,
    () => {},
    async () => {},
  )

  let ended = 0
  const step = STREAMS / (RELOADS + BAD)
  // One after the other: a reload reads the files when its turn comes, and must find those that were written for it.
  let reloads = 0
  let last = Promise.resolve()
  const texts = await allTexts(
    key,
    () => {
      ended++
      if (ended % step !== 0 || reloads >= RELOADS + BAD) return
      const round = reloads++
      last = last.then(() => reloadOnce(round))
    },
    () => last,
  )
  await last

  expect(texts).toEqual(calm)
  expect(texts.every(text => text.endsWith('data: [DONE]\n\n'))).toBe(true)
  expect(test.gateway.app.reloads).toMatchObject({ ok: RELOADS, failed: BAD })
  const rows = await test.ledger()
  expect(new Set(rows.map(({ requestId }) => requestId)).size).toBe(2 * STREAMS)
  expect(rows.filter(({ estimated }) => estimated)).toEqual([])
  // Some began between two reloads: not all before the first, or after the last.
  expect(new Set(rows.map(({ revision }) => revision)).size).toBeGreaterThan(2)
})
