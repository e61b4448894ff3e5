import { expect, test } from 'vitest'
import { changesOf, type Edit, edit, shipped, sideOf, told } from './edited.ts'
import { uncommented } from './uncommented.ts'

const MAIN = 'config.example.yaml'

const changes = (...edits: readonly (readonly [string, string])[]) => {
  const full = uncommented()
  const written = edits.map(([old, put]): Edit => [MAIN, old, put])
  return told(changesOf(sideOf(full), sideOf(edit(written, full)))).map(text => text.replace(/:\d+ /, ' '))
}

test('what the example shows of pass-through routes is in order, and new to clients of the plans that have the model', () => {
  const said = told(changesOf(sideOf(shipped), sideOf(uncommented()))).map(text => text.replace(/:\d+ /, ' '))

  expect(said).toEqual([
    'more config.example.yaml model svc-voice is new, in plans pro and team',
    'more config.example.yaml model svc-live is new, in plan team',
    'more config.example.yaml /v1/audio/speech is passed through to svc-voice, for 0.01 USD a call',
    'more config.example.yaml /v1/audio/transcriptions is passed through to svc-voice, for 0.002 USD a MB, at most 100',
    'more config.example.yaml /v1/realtime is passed through to svc-live as a WebSocket, for the usage of at most 16k tokens in and 4k out',
    'more config.example.yaml /v1/rerank is passed through to svc-voice, for the usage of at most 8k tokens in and 0 out',
    'plumbing config.example.yaml pool onprem-voice is new, for kokoro',
    'plumbing config.example.yaml pool cloud-live is new, for gpt-realtime',
  ])
})

test.each<[string, readonly string[], readonly (readonly [string, string])[]]>([
  [
    'a price that rises',
    ['less config.example.yaml /v1/audio/speech: meter 0.01 USD a call → 0.02 USD a call'],
    [['usd_per_call: 0.01', 'usd_per_call: 0.02']],
  ],
  [
    'a price that falls',
    ['more config.example.yaml /v1/audio/speech: meter 0.01 USD a call → 0.005 USD a call'],
    [['usd_per_call: 0.01', 'usd_per_call: 0.005']],
  ],
  [
    'another bound',
    [
      'other config.example.yaml /v1/audio/transcriptions: meter 0.002 USD a MB, at most 100 → 0.002 USD a MB, at most 60',
    ],
    [['max_mb: 100', 'max_mb: 60']],
  ],
  [
    'another meter',
    ['other config.example.yaml /v1/audio/speech: meter 0.01 USD a call → 0.01 USD a second, at most 30'],
    [['usd_per_call: 0.01', 'usd_per_second: 0.01, max_seconds: 30']],
  ],
  [
    'a longer session',
    ['more config.example.yaml /v1/realtime: max_session 30m → 1h'],
    [['max_session: 30m', 'max_session: 1h']],
  ],
  [
    'no longer a WebSocket',
    ['lost config.example.yaml /v1/realtime is no longer a WebSocket'],
    [['    upgrade: websocket\n    max_session: 30m\n', '']],
  ],
  [
    'a smaller body',
    ['less config.example.yaml /v1/audio/transcriptions: max_body 50MB → 20MB'],
    [['max_body: 50MB', 'max_body: 20MB']],
  ],
  [
    'another form of body',
    ['more config.example.yaml /v1/audio/transcriptions now takes binary'],
    [['accepts: [multipart]', 'accepts: [multipart, binary]']],
  ],
  [
    'a method less',
    ['lost config.example.yaml /v1/rerank no longer takes GET'],
    [['methods: [GET, POST]', 'methods: [POST]']],
  ],
  [
    'another price of tokens',
    ['less config.example.yaml price of svc-voice input 1.00 → 2.00 USD per 1M'],
    [['usd_per_1m: { input: 1 }', 'usd_per_1m: { input: 2 }']],
  ],
])('%s is told as what it is', (_name, said, edits) => {
  expect(changes(...edits)).toEqual(said)
})

test('nothing is said of defaults that are written out', () => {
  expect(
    changes(['    meter: { usd_per_call: 0.01 }', '    accepts: [json]\n    meter: { usd_per_call: 0.010 }']),
  ).toEqual([])
})
