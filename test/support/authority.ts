import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Certificate } from './certificate.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** Who signs certificates, made by openssl. */
export interface Authority {
  /** Its own certificate, as PEM. */
  readonly ca: string
  /** A certificate that it signed for a name, which is a host too. */
  sign(name: string, days?: number): Certificate
}

/** A new authority. It is gone with the test. */
export function newAuthority(): Authority {
  const dir = temporaryFolder('svc-ca')
  const openssl = (...words: string[]) => execFileSync('openssl', words, { cwd: dir, stdio: 'pipe' })
  const read = (name: string) => readFileSync(join(dir, name), 'utf8')
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '30', '-subj', '/CN=test authority')
  return {
    ca: read('ca.pem'),
    sign: (name, days = 30) => {
      openssl('req', ...key, '-keyout', 'own.key', '-out', 'own.csr', '-subj', `/CN=${name}`)
      writeFileSync(join(dir, 'own.ext'), 'subjectAltName=DNS:localhost,IP:127.0.0.1\n')
      const signing = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', `${days}`]
      openssl('x509', '-req', '-in', 'own.csr', ...signing, '-extfile', 'own.ext', '-out', 'own.pem')
      return { key: read('own.key'), cert: read('own.pem') }
    },
  }
}
