// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of YAML.
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { outcomeOf } from '../../http/calls.ts'
import { removeFolder } from '../../lanes/remove-folder.ts'
import { type Backend, startBackend } from '../../support/backend.ts'
import { ENV, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { type Operator, operatorOf } from './fixture.ts'

const VALUES = { SVCCTL_TOKEN: 'the-admin-token-of-the-process', REGION: 'eu-central', NEXT_KEY: 'sk-next-0001' }

let backend: Backend
let test: TestGateway
let operator: Operator
let outside: string

beforeAll(async () => {
  backend = await startBackend()
  outside = mkdtempSync(join(tmpdir(), 'svc-host-'))
  for (const name of ['id_rsa', 'in-use']) writeFileSync(join(outside, name), `secret-of-${name}\n`)
  test = await startTestGateway({
    onprem: [backend],
    cloud: [backend],
    env: { ...ENV, ...VALUES },
    files: {
      'tools.yaml': `hosted_tools: { search: { http: "${backend.url}/s", description: d, parameters: { type: object }, key: "file:${outside}/in-use" } }\n`,
    },
    yaml: 'include: [tools.yaml]',
  })
  // The files on the gateway's disk are its operator's own business.
  await test.reload({}, yaml =>
    yaml.replace('server:', 'server:\n  variables: [NEXT_KEY]').replace('site: cloud', 'site: "${REGION}"'),
  )
  operator = operatorOf(test)
})

afterAll(async () => {
  await test.close()
  await backend.close()
  await removeFolder(outside)
})

const apply = (from: string, to: string) =>
  operator.apply(yaml => {
    if (!yaml.includes(from)) throw new Error(`there is no ${from}`)
    return yaml.replace(from, to)
  })
const KEY = 'key: "${CLOUD_KEY}"'

it.each([
  ['a variable of the process, where clients read it', 'site: on-premises', 'site: "${SVCCTL_TOKEN}"'],
  ['the same with a default', 'site: on-premises', 'site: "${SVCCTL_TOKEN:-none}"'],
  ['the same where an error would quote it', 'models: all', 'models: ["tier:${SVCCTL_TOKEN}"]'],
  ['the same where only its form is told', 'rpm: 1000', 'rpm: "${SVCCTL_TOKEN}"'],
  ['a variable that is a secret, where clients read it', 'site: on-premises', 'site: "${CLOUD_KEY}"'],
  ['one that is listed for secrets, where clients read it', 'site: on-premises', 'site: "${NEXT_KEY}"'],
  ['a variable of the process as the key of a pool', KEY, 'key: "${SVCCTL_TOKEN}"'],
  ['the secret of another field as the key of a pool', KEY, 'key: "${SVC_GUEST_SECRET}"'],
  ['a variable of the process as a header of a pool', KEY, `${KEY}, headers: { x-a: "\${SVCCTL_TOKEN}" }`],
  ['the key of a pool as a header of one', KEY, `${KEY}, headers: { x-a: "\${CLOUD_KEY}" }`],
  ['a file of the host as a header of a pool', KEY, `${KEY}, headers: { x-a: "file:/etc/hostname" }`],
  ['a variable that is not set', 'site: on-premises', 'site: "${NOT_SET_ANYWHERE}"'],
  ['a file of the host as the key of a pool', KEY, 'key: "file:/etc/hostname"'],
  ['a file beside one that is in use', KEY, 'key: "file:OUTSIDE/id_rsa"'],
  ['a variable that it lists itself', 'variables: [NEXT_KEY]', 'variables: [NEXT_KEY, SVCCTL_TOKEN]'],
  ['files by their names, outside of its directory', 'include: [tools.yaml]', 'include: [tools.yaml, OUTSIDE/*]'],
])('an applied file cannot read %s: it is refused at its place', async (_, from, to) => {
  const before = readFileSync(join(test.dir, 'config.yaml'), 'utf8')
  const told = await apply(from, to.replace('OUTSIDE', outside))

  expect(outcomeOf(told)).toBe('409 APPLY_REFUSED')
  expect(told.text).toMatch(/forbidden-read|include-nothing/)
  for (const secret of [...Object.values(VALUES), ENV.CLOUD_KEY, 'id_rsa:']) expect(told.text).not.toContain(secret)
  expect(readFileSync(join(test.dir, 'config.yaml'), 'utf8')).toBe(before)
})

it('no answer tells whether a variable is set', async () => {
  const answers = await Promise.all(
    ['SVCCTL_TOKEN', 'NOT_SET_XXXX'].map(name => apply('site: on-premises', `site: "\${${name}}"`)),
  )

  expect(new Set(answers.map(({ text }) => text.replaceAll('SVCCTL_TOKEN', 'NOT_SET_XXXX'))).size).toBe(1)
})

it.each([
  ['a secret that is in use as one, for another pool', 'site: on-premises,', 'site: on-premises, key: "${CLOUD_KEY}",'],
  ['a file of a secret that is in use', KEY, 'key: "file:OUTSIDE/in-use"'],
  ['a listed variable as a secret', KEY, 'key: "${NEXT_KEY}"'],
  ['a listed variable as a header', KEY, `${KEY}, headers: { x-a: "\${NEXT_KEY}" }`],
  ['a variable that is shown already', 'site: on-premises', 'site: "${REGION}"'],
])('an applied file may read %s, and a rollback what served', async (_, from, to) => {
  const before = await operator.served()

  expect(outcomeOf(await apply(from, to.replace('OUTSIDE', outside)))).toBe('200')
  expect(outcomeOf(await operator.apply(before.files, { how: 'rollback' }))).toBe('200')
})

it('a revision that served may be applied again though what serves now reads less', async () => {
  const before = await operator.served()
  const without = await operator.apply(yaml => yaml.replace(/, key: "\$\{CLOUD_KEY\}"/, ''))
  expect(outcomeOf(without)).toBe('200')

  expect(outcomeOf(await apply('site: on-premises,', 'site: on-premises, key: "${CLOUD_KEY}",'))).toBe(
    '409 APPLY_REFUSED',
  )
  expect(outcomeOf(await operator.apply(before.files, { how: 'rollback' }))).toBe('200')
})
