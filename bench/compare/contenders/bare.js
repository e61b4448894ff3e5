import { fileURLToPath } from 'node:url'
import { cores, start, stop } from '../processes.js'

const script = fileURLToPath(new URL('bare-proxy.js', import.meta.url))

/** The bare proxy of this directory. */
export const bare = {
  name: 'bare node:http + undici',
  async start({ port, backend }) {
    const child = await start([process.execPath, script, String(port), String(backend)], {
      core: cores.contender,
      port,
    })
    return { ports: [port], pids: [child.pid], stop: () => stop(child) }
  },
}
