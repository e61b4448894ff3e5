import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Certificate } from '../certificate.ts'
import { freePort } from '../free-port.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { startRedis } from './redis.ts'

/** A Redis with TLS until the test is over. Its own certificate is also the authority of those of clients. */
export async function startTlsRedis(of: Certificate, more: Readonly<Record<string, string>> = {}) {
  const port = await freePort()
  const flags = await tlsFlags(of)
  const server = await startRedis({
    durable: true,
    flags: { 'tls-port': String(port), ...flags, 'tls-auth-clients': 'no', ...more },
  })
  onTestFinished(() => server.stop())
  return { url: `rediss://127.0.0.1:${port}`, cert: flags['tls-cert-file'] }
}

/** A certificate as Redis and sentinels take it, which trust it alone. Its files are there until the test is over. */
export async function tlsFlags(of: Certificate) {
  const directory = temporaryFolder('redis-tls')
  const [cert, key] = [join(directory, 'server.pem'), join(directory, 'server.key')]
  await Promise.all([writeFile(cert, of.cert), writeFile(key, of.key)])
  return { 'tls-cert-file': cert, 'tls-key-file': key, 'tls-ca-cert-file': cert }
}
