import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Certificate } from '../certificate.ts'
import { freePort } from '../free-port.ts'
import { startRedis } from './redis.ts'

/** A Redis with TLS until the test is over. Its own certificate is also the authority of those of clients. */
export async function startTlsRedis(of: Certificate, flags: Readonly<Record<string, string>> = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'redis-tls-'))
  const [cert, key] = [join(directory, 'server.pem'), join(directory, 'server.key')]
  await Promise.all([writeFile(cert, of.cert), writeFile(key, of.key)])
  const port = await freePort()
  const server = await startRedis({
    durable: true,
    flags: {
      'tls-port': String(port),
      'tls-cert-file': cert,
      'tls-key-file': key,
      'tls-ca-cert-file': cert,
      'tls-auth-clients': 'no',
      ...flags,
    },
  })
  onTestFinished(() => server.stop())
  return { url: `rediss://127.0.0.1:${port}`, cert }
}
