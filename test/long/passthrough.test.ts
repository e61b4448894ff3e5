import { createHash } from 'node:crypto'
import { once } from 'node:events'
import http from 'node:http'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { compileProgram, type Program } from '../cli/program.ts'
import { ByteBackend, bytes, sha256 } from '../support/bytes.ts'
import { Fleet, MEASURED } from './harness/fleet.ts'
import { sizeOf } from './harness/size.ts'

const CONNECTIONS = sizeOf('CONNECTIONS', 16, 4)
const BYTES = 50_000_000
const MOST_KEPT = 1_000_000
const CENTS = 10_000_000
const plans = { pro: 'rpm: 1M, tpm: 900M, monthly_usd: 500' }
const models = '  svc-voice: { kind: passthrough, tier: guest, serve: [site] }'
const yaml = `passthrough:
  - path: /v1/audio/transcriptions
    methods: [POST]
    model: svc-voice
    accepts: [multipart]
    max_body: 60MB
    meter: { usd_per_call: 0.01 }
  - { path: /v1/audio/speech, methods: [POST], model: svc-voice, meter: { usd_per_call: 0.01 } }
`

const START = '--b0undary\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n'
const END = '\r\n--b0undary--\r\n'
/** The part that the gateway adds to a form without it. */
const MODEL = '\r\n--b0undary\r\nContent-Disposition: form-data; name="model"\r\n\r\ntest-model'

let program: Program
/** The body that every client sends, or every backend answers. */
let body: Buffer

beforeAll(() => {
  program = compileProgram()
  body = Buffer.concat([...bytes(BYTES)])
})

afterAll(() => program.end())

it(`${CONNECTIONS} uploads of 50 MB to a backend that is slow to read keep at most 1 MB each, and arrive whole`, async () => {
  const { backend, fleet, post } = await opened()
  let goOn: () => void = () => {}
  const read = new Promise<void>(resolve => {
    goOn = resolve
  })
  const digests: string[] = []
  backend.on(async (request, response) => {
    await read
    const hash = createHash('sha256')
    for await (const part of request) hash.update(part)
    digests.push(hash.digest('hex'))
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"text":"ok"}')
  })
  const whole = sha256(form(MODEL))
  const base = await fleet.first.memory()

  const requests = Array.from({ length: CONNECTIONS }, () =>
    post('/v1/audio/transcriptions', 'multipart/form-data; boundary=b0undary', START.length + BYTES + END.length),
  )
  const answers = requests.map(async request => {
    const [response] = (await once(request, 'response')) as [http.IncomingMessage]
    for await (const _ of response);
    return response.statusCode
  })
  for (const request of requests) Readable.from(form()).pipe(request)
  await sleep(5000)
  const kept = (await keptBy(fleet)) - sum(base)
  goOn()

  expect(await Promise.all(answers)).toEqual(requests.map(() => 200))
  console.log(`${CONNECTIONS} uploads that wait: ${Math.round(kept / CONNECTIONS)} bytes kept each`)
  expect(kept / CONNECTIONS).toBeLessThanOrEqual(MOST_KEPT)
  expect(new Set(digests)).toEqual(new Set([whole]))
  expect(digests).toHaveLength(CONNECTIONS)
  await inTheLedger(fleet)
})

it(`${CONNECTIONS} answers of 50 MB to clients that are slow to read keep at most 1 MB each, and arrive whole`, async () => {
  const { backend, fleet, post } = await opened()
  backend.on((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'audio/mpeg', 'content-length': BYTES })
    Readable.from(slices()).pipe(response)
  })
  const base = await fleet.first.memory()

  const requests = Array.from({ length: CONNECTIONS }, () => post('/v1/audio/speech', 'application/json', 2))
  const heads = requests.map(request => once(request, 'response') as Promise<[http.IncomingMessage]>)
  for (const request of requests) request.end('{}')
  const responses = (await Promise.all(heads)).map(([response]) => response.pause())
  await sleep(5000)
  const kept = (await keptBy(fleet)) - sum(base)
  const digests = await Promise.all(
    responses.map(async response => {
      const hash = createHash('sha256')
      for await (const part of response) hash.update(part)
      return hash.digest('hex')
    }),
  )

  console.log(`${CONNECTIONS} answers that wait: ${Math.round(kept / CONNECTIONS)} bytes kept each`)
  expect(kept / CONNECTIONS).toBeLessThanOrEqual(MOST_KEPT)
  expect(new Set(digests)).toEqual(new Set([sha256([body])]))
  await inTheLedger(fleet)
})

async function opened() {
  const backend = await ByteBackend.start()
  onTestFinished(() => backend.close())
  // Some seconds for all of them on a machine that has other things to do.
  const limits = 'connections_per_ip: 10k, shed_load: false, request_timeout: 600s'
  const fleet = new Fleet({ program, plans, models, yaml, limits, site: backend, flags: MEASURED })
  onTestFinished(() => fleet.close())
  await fleet.start()
  const { key } = await fleet.mint('ada', 'pro')
  const post = (path: string, type: string, length: number) =>
    http.request(`${fleet.first.url}${path}`, {
      method: 'POST',
      agent: false,
      headers: { authorization: `Bearer ${key}`, 'content-type': type, 'content-length': length },
    })
  return { backend, fleet, post }
}

function* slices(): Generator<Buffer> {
  for (let at = 0; at < BYTES; at += 65_536) yield body.subarray(at, at + 65_536)
}

function* form(model = ''): Generator<Buffer> {
  yield Buffer.from(START)
  yield* slices()
  yield Buffer.from(`${model}${END}`)
}

const sum = ({ heapUsed, external }: NodeJS.MemoryUsage): number => heapUsed + external
const keptBy = async ({ first }: Fleet): Promise<number> => sum(await first.memory())

/** One row for each, at the price of the route. */
async function inTheLedger({ first }: Fleet): Promise<void> {
  const { body: ledger } = await first.ask('GET', '/admin/ledger')
  const rows = ledger.trim().split('\n')
  expect(rows.filter(row => row.includes('svc-voice'))).toHaveLength(CONNECTIONS)
  expect(rows.filter(row => row.includes(String(CENTS / 1e9)))).toHaveLength(CONNECTIONS)
}
