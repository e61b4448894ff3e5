import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { blocksOf } from '../../docs/page.ts'
import { newAuthority } from '../../support/authority.ts'
import { selfSigned } from '../../support/certificate.ts'
import { freePort } from '../../support/free-port.ts'
import { compileProgram, type Program } from '../program.ts'
import { filesOf, startSite, yamlOf } from '../site.ts'

let program: Program

beforeAll(() => {
  program = compileProgram()
})

afterAll(() => program.end())

const whereIs = (port: number) => (yaml: string) => yaml.replace('admin: "127.0.0.1:0"', `admin: "127.0.0.1:${port}"`)

it('svcctl speaks TLS to the gateway of its files, by the certificate that they name, and to another one by SVCCTL_CA', async () => {
  // A certificate for a name other than the address.
  const { cert, key } = selfSigned('gateway.example.com')
  const yaml = yamlOf('http://127.0.0.1:9/v1', ', admin_tls: { certificate: file:admin.pem, key: file:admin.key }')
  const dir = filesOf({ 'config.yaml': whereIs(await freePort())(yaml), 'admin.pem': cert, 'admin.key': key })
  const { env } = await startSite(program, dir, 'config.yaml')
  const { SVCCTL_ADMIN: admin = '', SVCCTL_TOKEN = '' } = env
  expect(admin).toMatch(/^https:/)

  const mint = ['keys', 'mint', '--plan', 'pro', '--account', 'carl', '--json']
  expect(await program.run(mint, { cwd: dir, env: { SVCCTL_TOKEN } })).toMatchObject({ code: 0 })
  const elsewhere = await program.run(['keys', 'list'], { cwd: '/', env: { SVCCTL_TOKEN, SVCCTL_ADMIN: admin } })
  expect(elsewhere.stderr).toContain(`the server at ${admin} has a certificate that is not trusted`)
  expect(elsewhere.code).toBe(3)
})

it('the certificate of an operator is shown by svcctl, and its name is in the audit', async () => {
  const [operators, servers] = [newAuthority(), newAuthority()]
  const [own, ada] = [servers.sign('gateway'), operators.sign('ada')]
  const tls = 'certificate: file:admin.pem, key: file:admin.key, client_ca: file:operators.pem, admins: [ada]'
  const files = { 'admin.pem': own.cert, 'admin.key': own.key, 'operators.pem': operators.ca }
  const yaml = yamlOf('http://127.0.0.1:9/v1', `, admin_tls: { ${tls} }`)
  const beside = { 'ca.pem': servers.ca, 'ada.pem': ada.cert, 'ada.key': ada.key }
  const dir = filesOf({ 'config.yaml': yaml, ...files, ...beside })
  const { env } = await startSite(program, dir, 'config.yaml')
  const { SVCCTL_ADMIN = '', SVCCTL_TOKEN = '' } = env
  const named = (name: string) => join(dir, name)
  const trusting = { SVCCTL_ADMIN, SVCCTL_CA: named('ca.pem') }
  const shown = { ...trusting, SVCCTL_CERT: named('ada.pem'), SVCCTL_KEY: named('ada.key') }

  const mint = ['keys', 'mint', '--plan', 'pro', '--account', 'carl']
  expect((await program.run(mint, { cwd: '/', env: { ...trusting, SVCCTL_TOKEN } })).stderr).toContain(
    'Connect with a valid operator certificate',
  )
  expect(await program.run(mint, { cwd: '/', env: shown })).toMatchObject({ code: 0 })
  const audit = await program.run(['audit', '--json'], { cwd: '/', env: shown })
  expect(audit.stdout).toContain('"by":"certificate ada"')
  const page =
    blocksOf('docs/operations/proxies-and-tls.md').find(({ text }) => text.includes('SVCCTL_CERT='))?.text ?? ''
  const commands = page.replace('https://gateway-admin.internal:9090', SVCCTL_ADMIN)
  const svcctl = `svcctl() { ${process.execPath} ${program.main} "$@"; }`
  const asked = await program.shell(`${svcctl}\n${commands}`, { cwd: dir })
  expect(asked).toMatchObject({ code: 0, stdout: expect.stringMatching(/certificate ada/) })
  expect(
    (await program.run(['keys', 'list'], { cwd: '/', env: { ...trusting, SVCCTL_CERT: named('ada.pem') } })).stderr,
  ).toContain('SVCCTL_CERT and SVCCTL_KEY belong together')
})
