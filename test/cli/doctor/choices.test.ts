import { describe, expect, it } from 'vitest'
import { type Behaviour, status } from '../../support/backend.ts'
import { choicesOf, filesOf, foundOfPools, script, startReplica } from './site.ts'

/** Findings on a replica with these answers to requests for two choices. */
async function foundOf(choices: Behaviour, pool = '') {
  const backend = script(await startReplica(), { choices })
  const [found, ...others] = await foundOfPools(filesOf([backend.url], { pool }))
  expect(others).toEqual([])
  const asked = backend.requests.filter(({ body }) => body.n !== undefined)
  return { found, asked: asked.map(({ body }) => ({ n: body.n, isStream: body.stream === true })) }
}

const WHOLE = { n: 2, isStream: false }
const STREAM = { n: 2, isStream: true }

it('a replica that makes two choices and counts both is fine, whole and streamed', async () => {
  const { found, asked } = await foundOf(choicesOf({ made: 2, counted: 2 }))

  expect(found).toMatchObject({ state: 'ok' })
  expect(asked).toEqual([WHOLE, STREAM])
})

describe('a replica that ignores `n`', () => {
  it.each([
    ['in every answer', choicesOf({ made: 1, counted: 1 }), 'ignores n: it makes one choice'],
    ['in streams', onlyIn('streams'), 'ignores n in streams: it makes one choice'],
    ['in whole answers', onlyIn('whole answers'), 'ignores n in whole answers: it makes one choice'],
  ])('%s is a warning that says so', async (_where, choices, text) => {
    const { found } = await foundOf(choices)

    expect(found).toMatchObject({ state: 'warning', text: expect.stringContaining(text) })
    expect(found?.hint).toContain('get one, and pay for one')
  })
})

describe('a replica that reports the usage of one of two choices', () => {
  it.each([
    ['by its cap, where both are cut', choicesOf({ made: 2, counted: 1 })],
    ['by the words in both, where none is cut', choicesOf({ made: 2, counted: 1, finish: 'stop' })],
  ])('is found %s, with what to write into the pool', async (_how, choices) => {
    const { found } = await foundOf(choices)

    expect(found).toMatchObject({ state: 'warning' })
    expect(found?.text).toContain('reports the usage of one choice where it makes two')
    expect(found?.hint).toContain('Write `provider: { choices_usage: one }` in')
  })

  it('keeps the row of its provider in what is to be written', async () => {
    const { found } = await foundOf(choicesOf({ made: 2, counted: 1 }), ', provider: vllm')

    expect(found?.hint).toContain('Write `provider: { is: vllm, choices_usage: one }` in')
  })

  it.each([', provider: { choices_usage: one }', ', provider: llamacpp', ', fetch: stream'])(
    'is fine with what asks it for streams alone (%s)',
    async pool => {
      const { found, asked } = await foundOf(choicesOf({ made: 2, counted: 1 }), pool)

      expect(found).toMatchObject({ state: 'ok' })
      expect(asked).toEqual([STREAM])
    },
  )
})

it('a replica that refuses `n` is fine: its clients hear that', async () => {
  const { found } = await foundOf(status(400, { error: { message: 'n must be 1' } }))

  expect(found).toMatchObject({ state: 'ok' })
})

function onlyIn(kind: 'streams' | 'whole answers'): Behaviour {
  return exchange => {
    const isStream = exchange.seen.body.stream === true
    return choicesOf({ made: isStream === (kind === 'streams') ? 1 : 2, counted: 2 })(exchange)
  }
}
