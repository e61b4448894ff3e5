import { parseArgs } from 'node:util'
import { createDemoBackend } from './backend.ts'

// One demo backend as a process of its own:
//   node dist/demo/backend-main.js --name onprem-core-1 --models "Qwen/Qwen3-8B" [--thinking] [--key SECRET] [--port 0] [--pace 15]
// The key may come as DEMO_BACKEND_KEY instead, which `ps` does not show.
const { values } = parseArgs({
  options: {
    name: { type: 'string' },
    models: { type: 'string' },
    thinking: { type: 'boolean' },
    key: { type: 'string', default: process.env.DEMO_BACKEND_KEY ?? '' },
    port: { type: 'string', default: '0' },
    pace: { type: 'string', default: '15' },
  },
})
const { name, models, thinking, key, port, pace } = values
if (!name || !models) {
  console.error(
    'usage: backend-main --name NAME --models "MODEL,MODEL" [--thinking] [--key SECRET] [--port N] [--pace MS]',
  )
  process.exit(2)
}

const server = createDemoBackend({
  name,
  models: models.split(',').map(model => model.trim()),
  ...(thinking && { thinking }),
  ...(key && { key }),
  paceMs: Number(pace),
  now: Date.now,
})
server.listen(Number(port), '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object') console.log(JSON.stringify({ port: address?.port }))
})

// Standard input ends with the parent, however it ends; no backend outlives the demo.
process.stdin.on('close', () => process.exit()).resume()
process.on('SIGTERM', () => process.exit())
// Ctrl-C reaches the parent's children too, and a gateway that drains still needs them.
if (!process.stdin.isTTY) process.on('SIGINT', () => {})
