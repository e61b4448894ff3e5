import { join } from 'node:path'
import { findPackage } from '../deps.js'
import { cores, start, stop } from '../processes.js'

/** @portkey-ai/gateway, which must be installed in bench/portkey. */
export const portkey = {
  name: 'Portkey 1.15.2',
  missing: () =>
    findPackage('@portkey-ai/gateway')
      ? undefined
      : '@portkey-ai/gateway is not installed: npm ci --prefix bench/portkey',
  headers: backend => ({
    'x-portkey-provider': 'openai',
    'x-portkey-custom-host': `http://127.0.0.1:${backend}/v1`,
  }),
  async start({ port }) {
    const script = join(findPackage('@portkey-ai/gateway').path, 'build/start-server.js')
    const command = [process.execPath, script, '--headless', `--port=${port}`]
    const child = await start(command, { core: cores.contender, port, env: { NODE_ENV: 'production' } })
    return { ports: [port], pids: [child.pid], stop: () => stop(child) }
  },
}
