import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { compileProgram } from '../cli/program.ts'
import { selfSigned } from '../support/certificate.ts'
import { childEnv } from '../support/child-env.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const SCRIPT = fileURLToPath(new URL('own-webhook.js', import.meta.url))
const PUBLIC = '11.22.33.44'
const INSIDE = '10.0.0.5'

/** Whether this user may have programs see a network of their own. */
const mayUnshare = spawnSync('unshare', ['--net', '--mount', 'ip', 'link', 'set', 'lo', 'up']).status === 0
if (!mayUnshare) console.warn('SKIPPED: a network of its own needs a user who may unshare it')

describe.skipIf(!mayUnshare)(
  'a webhook of a customer, with port 443, a name server and addresses as on the internet',
  () => {
    it('is sent to public addresses alone, whatever its name leads to later, signed, and again under the same id', () => {
      const dir = temporaryFolder('svc-webhook')
      const { key, cert } = selfSigned('hooks.example.com')
      const file = (name: string, text: string) => {
        writeFileSync(join(dir, name), text)
        return join(dir, name)
      }
      const [keyFile, certFile] = [file('key.pem', key), file('cert.pem', cert)]
      const names = file('resolv.conf', 'nameserver 127.0.0.1\n')
      const answers = JSON.stringify([[PUBLIC], [PUBLIC], [INSIDE], [PUBLIC, INSIDE], ['127.0.0.1'], [PUBLIC]])
      const gateway = dirname(dirname(compileProgram().main))
      const command = [
        'ip link set lo up',
        `ip address add ${PUBLIC}/32 dev lo`,
        `ip address add ${INSIDE}/32 dev lo`,
        `mount --bind ${names} /etc/resolv.conf`,
        'exec "$@"',
      ].join(' && ')
      const program = [process.execPath, SCRIPT, gateway, answers, keyFile, certFile]
      const told = execFileSync('unshare', ['--net', '--mount', 'sh', '-c', command, 'sh', ...program], {
        env: childEnv({ NODE_EXTRA_CA_CERTS: certFile }),
        encoding: 'utf8',
      })
      const refused = 'hooks.example.com has an address that is not of the public internet'
      const received = (id: string) => [`${PUBLIC}:443`, 'hooks.example.com', id, 'notice.test']
      expect(JSON.parse(told)).toEqual({
        outcomes: [
          ...['it answered 503', 'taken', refused, refused, refused, 'taken'],
          `${INSIDE} has an address that is not of the public internet`,
        ],
        messages: [received('ntc_1'), received('ntc_1'), received('ntc_5')],
        asked: 6,
      })
    })
  },
)
