import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

/** An npm registry that has a few packages more than the one that npm is configured with. */
export interface Registry {
  readonly url: string
  close(): void
}

/** Serves packed packages as if they were published, and sends npm to the configured registry for every other one. */
export async function registryWith(...tarballs: readonly string[]): Promise<Registry> {
  const others = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim().replace(/\/$/, '')
  const packages = tarballs.map(tarball => ({
    bytes: readFileSync(tarball),
    manifest: JSON.parse(execFileSync('tar', ['-xzOf', tarball, 'package/package.json'], { encoding: 'utf8' })),
  }))
  const server = createServer((request, response) => {
    const asked = packages.find(({ manifest }) => request.url?.replace(/\.tgz$/, '') === `/${manifest.name}`)
    if (asked && !request.url?.endsWith('.tgz')) {
      const { manifest, bytes } = asked
      const { port } = server.address() as AddressInfo
      const dist = {
        tarball: `http://127.0.0.1:${port}/${manifest.name}.tgz`,
        integrity: `sha512-${createHash('sha512').update(bytes).digest('base64')}`,
      }
      response.setHeader('content-type', 'application/json')
      response.end(
        JSON.stringify({
          name: manifest.name,
          'dist-tags': { latest: manifest.version },
          versions: { [manifest.version]: { ...manifest, dist } },
        }),
      )
    } else if (asked) response.end(asked.bytes)
    else response.writeHead(302, { location: join(others, request.url ?? '').replace(':/', '://') }).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => server.close(),
  }
}
