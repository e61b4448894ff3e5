// http-proxy-3 with the body untouched. `node http-proxy-proxy.js PORT BACKEND_PORT PACKAGE`.
import { Agent, createServer } from 'node:http'
import { createRequire } from 'node:module'

const [port, backend, path] = process.argv.slice(2)
const { createProxyServer } = createRequire(import.meta.url)(path)
const proxy = createProxyServer({
  target: `http://127.0.0.1:${backend}`,
  agent: new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY, maxFreeSockets: 1024 }),
})
proxy.on('error', (_, __, response) => response.destroy())
createServer((request, response) => proxy.web(request, response)).listen(Number(port), '127.0.0.1')
