import { expect, test } from 'vitest'
import { fixedFields, fixedProblems } from '../../../src/config/check/fixed.ts'
import { load } from '../../../src/config/load.ts'
import { fields } from '../../../src/config/model/schema.ts'
import type { Loaded } from '../../../src/config/settings.ts'
import { selfSigned } from '../../support/certificate.ts'
import { directoryOf, small } from '../files.ts'

const running = `${small}brand: svc
store: redis://localhost:6379/0
server:
  listen: 127.0.0.1:8080
  admin: 127.0.0.1:9090
  instances: 2
  state_dir: /tmp/data
  variables: []
  workers: 2
  trusted_proxies: []
ledger: { archive: { to: postgres://svc@localhost/svc } }
redis: { answer_timeout: 1s }
`
const { cert, key } = selfSigned()

/** The new value of each field, and its position in the file. */
const changes: Readonly<Record<string, readonly [from: string, to: string, place: string]>> = {
  brand: ['brand: svc', 'brand: acme', '9:8'],
  store: ['redis://localhost:6379/0', 'redis://localhost:6379/1', '10:8'],
  'ledger.archive': ['@localhost/svc', '@localhost/other', '19:20'],
  'redis.answer_timeout': ['answer_timeout: 1s', 'answer_timeout: 2s', '20:26'],
  'server.listen': ['127.0.0.1:8080', '127.0.0.1:8081', '12:11'],
  'server.admin': ['127.0.0.1:9090', '127.0.0.1:9091', '13:10'],
  'server.admin_token': ['trusted_proxies: []', 'admin_token: file:token', '18:16'],
  'server.admin_tls': ['variables: []', 'admin_tls: { certificate: file:own.pem, key: file:own.pem }', '16:14'],
  'server.instances': ['instances: 2', 'instances: 3', '14:14'],
  'server.state_dir': ['/tmp/data', '/tmp/other', '15:14'],
  'server.workers': ['workers: 2', 'workers: auto', '17:12'],
}
/** Fields that take effect with the next request. */
const reloadable = [
  ...[
    'server.public_url',
    'server.console_url',
    'server.console',
    'server.admin_url',
    'server.fleet_url',
    'server.contact',
  ],
  ...['server.trusted_proxies', 'server.variables'],
]
const atTheEnd = ['server.drain_delay', 'server.drain_timeout']

function loaded(yaml: string, env = {}): Loaded {
  const result = load(
    'config.yaml',
    env,
    directoryOf({ 'config.yaml': yaml, 'own.pem': key + cert, token: 'a-token-of-24-characters' }),
  )
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.loaded
}
const problemsOf = (yaml: string, env = {}) => fixedProblems(loaded(running).settings, loaded(yaml, env))

test('every field of the section `server` is known to need a restart, or not to', () => {
  const declared = fields.filter(({ parent }) => parent === 'server').map(({ path }) => path)

  expect([...fixedFields.filter(field => declared.includes(field)), ...reloadable, ...atTheEnd].sort()).toEqual(
    declared.sort(),
  )
  expect(Object.keys(changes).sort()).toEqual([...fixedFields].sort())
})

test.each(Object.entries(changes))('a change of `%s` is refused at its place', (field, [from, to, place]) => {
  expect(
    problemsOf(running.replace(from, to)).map(({ line, column, rule, message }) => ({ line, column, rule, message })),
  ).toEqual([
    {
      line: Number(place.split(':')[0]),
      column: Number(place.split(':')[1]),
      rule: 'needs-restart',
      message: `\`${field}\` cannot change while the gateway runs`,
    },
  ])
})

test('all of them are told at once', () => {
  const other = Object.values(changes).reduce((yaml, [from, to]) => yaml.replace(from, to), running)

  expect(problemsOf(other)).toHaveLength(Object.keys(changes).length)
})

test('a field that was left out is refused at its section, or at the start of the file', () => {
  expect(problemsOf(running.replace('  instances: 2\n', ''))).toMatchObject([{ line: 11, column: 1 }])
  expect(
    problemsOf(
      running
        .replace('store: redis://localhost:6379/0\n', '')
        .replace('redis: { answer_timeout: 1s }\n', '')
        .replace('instances: 2', 'instances: 1'),
    ),
  ).toMatchObject([
    { line: 1, column: 1, hint: 'restart it, or change it back to redis://localhost:6379/0' },
    { line: 13, column: 14 },
  ])
})

test('no password is told', () => {
  const before = loaded(running.replace('redis://', `redis://:\${PASSWORD}@`), { PASSWORD: 'first-secret' })
  const after = loaded(running.replace('redis://localhost', `redis://:\${PASSWORD}@other`), {
    PASSWORD: 'second-secret',
  })

  const [problem, ...others] = fixedProblems(before.settings, after)

  expect(others).toEqual([])
  expect(problem?.message).toContain('`store`')
  expect(JSON.stringify(problem)).not.toMatch(/first-secret|second-secret/)
})

test('another user or password of the same Redis needs no restart', () => {
  const before = loaded(running.replace('redis://', `redis://:\${PASSWORD}@`), { PASSWORD: 'first-secret' })
  const after = loaded(running.replace('redis://', `redis://gateway:\${PASSWORD}@`), { PASSWORD: 'second-secret' })

  expect(fixedProblems(before.settings, after)).toEqual([])
})

test('nothing is refused where nothing of it changed', () => {
  expect(
    problemsOf(running.replace('rpm: 20', 'rpm: 30').replace('server:', 'server:\n  public_url: http://localhost')),
  ).toEqual([])
})
