import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { scrub } from '../../../src/wire/errors/scrub.ts'

describe('a text of a backend reaches clients without', () => {
  const cases: readonly (readonly [what: string, text: string, shown: string])[] = [
    ['a password of a setting', 'login failed: password=hunter2-x, retry', 'login failed: password=[redacted] retry'],
    ['a quoted password', `bad DSN (password='hun ter2')`, 'bad DSN (password=[redacted])'],
    ['a password of JSON', '{"user": "ada", "password": "hunter2"}', '{"user": "ada", "password": [redacted]}'],
    ['a password of JSON in JSON', '{\\"password\\": \\"hunter2\\"}', '{\\"password\\": [redacted]}'],
    ['a token after a colon', 'refused, token: abc123def', 'refused, token: [redacted]'],
    ['an access token', 'access_token=abc123', 'access_token=[redacted]'],
    [
      'an API key of an unknown vendor',
      'Incorrect API key provided: abcd-1234',
      'Incorrect API key provided: [redacted]',
    ],
    ['an API key with a known prefix', 'got hf_abcdefghijkl', 'got [redacted]'],
    ['a setting of the environment', 'AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI', 'AWS_SECRET_ACCESS_KEY=[redacted]'],
    ['a bearer token', 'sent Authorization: Bearer abc.def', 'sent Authorization: [redacted]'],
    ['basic credentials', 'sent Basic dXNlcjpwYXNz', 'sent [redacted]'],
    ['a DSN', 'postgres://root:hunter2@db:5432/prod is down', '[address] is down'],
    ['a DSN without a scheme', 'root:hunter2@tcp(db:3306)/prod', '[address]'],
    [
      'a connection of urllib3',
      "HTTPConnectionPool(host='vllm-0', port=8000)",
      'HTTPConnectionPool(host=[redacted], port=8000)',
    ],
    ['a host with a port', 'cannot connect to redis:6379', 'cannot connect to [address]'],
    ['a host of a cluster', 'no route to vllm.prod.svc.cluster.local', 'no route to [address]'],
    ['a private address', 'worker 10.0.0.7:8000 failed', 'worker [address] failed'],
    ['an IPv6 address', 'worker fd00::7 failed', 'worker [address] failed'],
    ['a path of a traceback', 'File "/opt/vllm/engine/llm.py", line 12', 'File "[path]", line 12'],
    [
      'a path of a model',
      'cannot read /models/llama-70b/config.json: no such file',
      'cannot read [path]: no such file',
    ],
    ['a file at the root', 'cannot read /secrets.env', 'cannot read [path]'],
    ['a path of a home', 'see ~/.cache/huggingface/token', 'see [path]'],
    ['a path of Windows', 'C:\\Users\\ada\\model.bin is missing', '[path] is missing'],
    ['a relative path', 'raised in vllm/entrypoints/serving.py', 'raised in [path]'],
  ]
  it.each(cases)('%s', (_what, text, shown) => {
    expect(scrub(text, [])).toBe(shown)
  })
})

describe('a text of a backend keeps what helps a client', () => {
  it.each([
    'max_tokens: must be at most 4096',
    "This model's maximum context length is 4096 tokens, however you requested 5000 tokens (904 in the messages).",
    'body.messages.0.content: Input should be a valid string',
    '/messages/0/content must be string',
    'POST /v1/embeddings: image/png and application/json are not text/plain',
    'temperature: 3 is greater than 2 (got 1.5:1)',
    'unknown model Qwen/Qwen3-8B',
    'the tokenizer failed at 12:30:45',
    'The password field of your schema is not an object',
  ])('%s', text => {
    expect(scrub(text, [])).toBe(text)
  })
})

/** Texts that backends put around a secret. */
const around = fc.string({ unit: fc.constantFrom(...'aZ0 .:/\\"\'={}[](),;-_@~\n'), maxLength: 60 })
const secret = fc.stringMatching(/^[A-Za-z0-9]{8,24}$/).map(text => `Q7${text}`)

test('the value of a named secret never reaches a client, whatever stands around it', () => {
  const named = fc.constantFrom(
    'password=',
    'password: ',
    '"api_key": "',
    "token='",
    'DB_PASSWORD=',
    'Authorization: Bearer ',
  )
  fc.assert(
    fc.property(around, named, secret, around, (before, name, value, after) => {
      expect(scrub(`${before} ${name}${value} ${after}`, [])).not.toContain(value)
    }),
  )
})

test('a path of a file and an address with a user never reach a client, whatever stands before them', () => {
  const place = fc.constantFrom('/opt/x/', '/srv/', 'redis://:', 'mysql://root:', 'root:')
  fc.assert(
    fc.property(around, place, secret, (before, name, value) => {
      const end = name.includes(':') ? '@db:6379/0' : '/weights.bin'
      expect(scrub(`${before} ${name}${value}${end} is bad`, [])).not.toContain(value)
    }),
  )
})

test('a secret that the gateway knows is not shown by half where a long text is cut', () => {
  const known = 'a-key-of-no-known-form'
  for (let at = 4060; at <= 4100; at++) {
    const text = `${'http://h/'.padEnd(at, 'x')} ${known}`.replace(/x{4}/g, 'x x ')
    expect(scrub(`${'h://x '.repeat(Math.floor(at / 6))}${' '.repeat(at % 6)}${known}`, [known])).not.toContain('a-key')
    expect(scrub(text, [known])).not.toContain('a-key')
  }
})

test('no more than 512 characters of a text are shown', () => {
  expect(scrub('long words '.repeat(10_000), []).length).toBe(512)
})
