import { fileURLToPath } from 'node:url'
import { findPackage } from '../deps.js'
import { cores, start, stop } from '../processes.js'

const script = fileURLToPath(new URL('http-proxy-proxy.js', import.meta.url))

/** http-proxy-3, which leaves the body as it is. */
export const httpProxy = {
  name: 'http-proxy-3, body untouched',
  missing: () => (findPackage('http-proxy-3') ? undefined : 'http-proxy-3 is not installed: npm install'),
  async start({ port, backend }) {
    const { path } = findPackage('http-proxy-3')
    const args = [script, String(port), String(backend), path]
    const child = await start([process.execPath, ...args], { core: cores.contender, port })
    return { ports: [port], pids: [child.pid], stop: () => stop(child) }
  },
}
