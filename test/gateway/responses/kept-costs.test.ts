import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { Secret } from '../../../src/config/settings.ts'
import { type KeepingCosts, KeptResponses } from '../../../src/gateway/responses/kept-responses.ts'
import type { KeptResponse, ResponseStore } from '../../../src/gateway/store/response-store.ts'
import { allAtOnce, type Steps } from '../../../src/wire/steps.ts'

const SETTINGS = {
  keep: 1000,
  keys: [new Secret('k'.repeat(43))],
  maxBytes: 1e8,
  maxResponses: 100,
  maxBytesTotal: 1e9,
  guests: false,
}

/** Keeps a conversation of so many bytes, and says how it was worked on, and what is read of it. */
async function kept(inputBytes: number, text: string) {
  let shelf: KeptResponse | undefined
  const store = {
    keep: async (response: KeptResponse) => {
      shelf = response
      return true
    },
    sizeOf: async () => shelf?.sealed.length,
    read: async () => shelf?.sealed,
  } as Partial<ResponseStore> as ResponseStore
  const responses = new KeptResponses(SETTINGS, store, { random: randomBytes, alarm: () => expect.fail() })
  const steps: number[] = []
  let charged = 0
  const costs: KeepingCosts = {
    charge: took => {
      charged += took
    },
    inTurn: async work => {
      for (let count = 1; ; count++) {
        const step = work.next()
        if (step.done !== true) continue
        steps.push(count)
        return step.value
      }
    },
  }
  const noise = randomBytes(inputBytes / 2).toString('hex')
  const input = Buffer.from(JSON.stringify([{ type: 'message', role: 'user', content: noise }]))
  const response = { id: 'resp_1', status: 'completed', output: [{ type: 'message', content: text }] }
  const isKept = await responses.keep('acct_ada', { input, items: [], isNative: false }, response, costs)
  const reading = { hold: () => undefined, work: async <T>(_bytes: number, steps: Steps<T>) => allAtOnce(steps) }
  const read = await responses.read('acct_ada', 'resp_1', reading)
  if (!read || 'denial' in read) throw new Error('nothing is kept')
  return { isKept, steps, charged, read, noise }
}

it('a large conversation is written and encrypted in turns of its account, in steps, and its account pays for packing it', async () => {
  const { isKept, steps, charged, read, noise } = await kept(20_000_000, 'yes')

  expect(isKept).toBe(true)
  expect(steps).toHaveLength(2)
  for (const count of steps) expect(count).toBeGreaterThanOrEqual(10_000_000 / 4_194_304)
  expect(charged).toBeGreaterThan(100)
  expect(read.texts.whole(read.input)).toMatchObject([{ content: noise }])
  // Nothing of it was made a text: that takes most of the time.
  expect(JSON.stringify(read.input).length).toBeLessThan(200)
})

it('a large answer is written in a turn of its account, beside however short a conversation', async () => {
  const { steps, read } = await kept(100, 'word '.repeat(100_000))

  expect(steps.length).toBeGreaterThan(0)
  expect(JSON.stringify(read.response)).toContain('word word')
})
