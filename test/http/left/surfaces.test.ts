import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import type { Endpoint } from '../../../src/http/listener/endpoint.ts'
import { publicEndpoints } from '../../../src/http/public/public.ts'
import type { Meter } from '../../../src/policy/config.ts'

/** A test of what clients pay that leave: its file, and its name there. */
type Held = readonly [file: string, test: string]

const LEFT = 'test/http/left/left.test.ts'
const ROUNDS = 'test/http/left/rounds.test.ts'
const PASSING = 'test/http/left/passing.test.ts'
const SESSIONS = 'test/http/left/sessions.test.ts'
const OTHERS = 'test/http/left/other-kinds.test.ts'

const CHATS: readonly Held[] = [
  [LEFT, 'pays all that the backend reports within 5 s, wherever it leaves a stream with hidden reasoning'],
  [LEFT, 'pays all that the backend reports within 5 s, wherever it leaves a whole answer'],
  [LEFT, 'where nothing is reported'],
  [ROUNDS, 'pays each round as its backend reports it, wherever it leaves'],
  [ROUNDS, 'where nothing more is reported'],
]

/** Every endpoint whose answers are charged. */
const ENDPOINTS: Readonly<Record<string, readonly Held[]>> = {
  'POST /v1/chat/completions': CHATS,
  'POST /v1/responses': CHATS,
  'POST /v1/messages': CHATS,
  'POST /v1/embeddings': [
    [OTHERS, 'cost what their backend reports within 5 s'],
    [OTHERS, 'cost their text where nothing is reported'],
  ],
  'POST /v1/images/generations': [[OTHERS, 'pictures cost what came within 30 s']],
}

/** Every way in which an answer that passes through is paid. */
const METERS: Readonly<Record<Meter['by'], readonly Held[]>> = {
  usage: [
    [PASSING, 'pays all that the backend reports within 5 s, wherever it leaves a stream with hidden reasoning'],
    [PASSING, 'pays all that the backend reports within 5 s, where it leaves a whole answer'],
    [PASSING, 'where nothing is reported'],
    [SESSIONS, 'pays all that the backend reports within 5 s, before whichever event it leaves'],
    [SESSIONS, 'where nothing is reported'],
    [SESSIONS, 'pays a response that it cancels and does not wait for as the backend reports it'],
  ],
  call: [[OTHERS, 'what is paid by the call costs the call, also before any of it came']],
  second: [[OTHERS, 'what is paid by the second costs the time until its backend is stopped']],
  mb: [[OTHERS, 'what is paid by the MB costs the bytes that passed']],
}

it('every endpoint whose answers are charged has tests of what its clients pay that leave', () => {
  const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`
  const charged = publicEndpoints.filter(endpoint => 'rate' in endpoint && endpoint.rate === 'plan').map(nameOf)

  expect(Object.keys(ENDPOINTS).sort()).toEqual(charged.sort())
})

const held = [...new Map([...Object.values(ENDPOINTS), ...Object.values(METERS)].flat().map(each => [`${each}`, each]))]

it.each(held.map(([, [file, test]]) => [file, test]))('%s has the test `%s`, on both stores', (file, test) => {
  const text = readFileSync(fileURLToPath(new URL(`../../../${file}`, import.meta.url)), 'utf8')

  expect(text).toContain(test)
  expect(text).toContain("inNpmTest.describe('with the embedded store'")
  expect(text).toContain("describeRedis('with Redis'")
})
