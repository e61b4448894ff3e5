import { expect, it } from 'vitest'
import { load } from '../../src/config/load.ts'
import { selfSigned } from '../support/certificate.ts'
import { directoryOf, small } from './files.ts'

const own = selfSigned()
const files = { 'own.pem': own.cert, 'own.key': own.key, 'other.key': selfSigned().key, 'text.pem': 'text' }
const OWN = 'certificate: file:own.pem, key: file:own.key'

function problemsOf(section: string): readonly string[] {
  const yaml = `${small}server: { admin_tls: { ${section} } }\n`
  const result = load('config.yaml', {}, directoryOf({ 'config.yaml': yaml, ...files }))
  return result.ok ? [] : result.problems.map(({ rule }) => rule)
}

it.each([
  [OWN, []],
  [`${OWN}, client_ca: file:own.pem, admins: [ada], support: [sam]`, []],
  ['certificate: file:own.pem, key: file:other.key', ['bad-certificate']],
  ['certificate: file:text.pem, key: file:own.key', ['bad-certificate']],
  ['certificate: file:own.pem, key: file:own.pem', ['bad-certificate']],
  ['certificate: file:own.pem', ['missing-field']],
  [`${OWN}, client_ca: file:own.key, admins: [ada]`, ['bad-certificate']],
  [`${OWN}, fleet_ca: file:own.pem, fleet_certificate: file:own.pem, fleet_key: file:own.key`, []],
  [`${OWN}, fleet_ca: file:text.pem`, ['bad-certificate']],
  [`${OWN}, fleet_certificate: file:own.pem`, ['bad-certificate']],
  [`${OWN}, fleet_certificate: file:own.pem, fleet_key: file:other.key`, ['bad-certificate']],
  [`${OWN}, admins: [ada]`, ['operators-without-client-ca']],
  [`${OWN}, client_ca: file:own.pem`, ['client-ca-without-operators']],
  [`${OWN}, client_ca: file:own.pem, admins: [ada], viewers: [ada]`, ['duplicate-entry']],
])('{ %s } is as right as it says', (section, rules) => {
  expect(problemsOf(section)).toEqual(rules)
})
