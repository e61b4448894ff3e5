import { createServer, type RequestListener } from 'node:http'
import { parseArgs } from 'node:util'
import { stepBack } from './step-back.ts'

// The identity provider of the demo as a process of its own:
//   node demo/dist/identity-main.js --audience http://localhost:8080 [--port 0]
const { values } = parseArgs({ options: { audience: { type: 'string' }, port: { type: 'string', default: '0' } } })
const { audience, port } = values
if (!audience) {
  console.error('usage: identity-main --audience URL [--port N]')
  process.exit(2)
}

// The demo's start comes first: the provider's first answer may wait.
stepBack()
// Standard error is the terminal of the demo. The provider warns there that it forgets everything when it ends, as the demo means to.
console.warn = () => {}
console.info = () => {}

// Behind the parent's back, so that its start does not wait: requests do. Imported late, since it warns when it is.
let provider: Promise<RequestListener> | undefined
const server = createServer(async (request, response) => (await provider)?.(request, response))
server.listen(Number(port), '127.0.0.1', () => {
  const address = server.address()
  if (address === null || typeof address === 'string') return
  provider = import('./identity/provider.ts').then(({ identityProvider }) =>
    identityProvider(`http://127.0.0.1:${address.port}`, audience),
  )
  console.log(JSON.stringify({ port: address.port }))
})

// Standard input ends with the parent, however it ends; the provider does not outlive the demo.
process.stdin.on('close', () => process.exit()).resume()
process.on('SIGTERM', () => process.exit())
// Ctrl-C reaches the parent's children too, and a gateway that drains still needs them.
if (!process.stdin.isTTY) process.on('SIGINT', () => {})
