import { parseArgs } from 'node:util'
import { createDemoBackend } from './backend.ts'
import { sentenceEncoder } from './embeddings/embedder.ts'

// One demo backend as a process of its own:
//   node demo/dist/backend-main.js --name onprem-core-1 --models "Qwen/Qwen3-8B" [--thinking] [--key SECRET] [--port 0] [--pace 15]
//   node demo/dist/backend-main.js --name onprem-embed --embeddings "BAAI/bge-base-en-v1.5"
//   node demo/dist/backend-main.js --name onprem-image --images "black-forest-labs/FLUX.1-schnell"
// The key may come as DEMO_BACKEND_KEY instead, which `ps` does not show.
const { values } = parseArgs({
  options: {
    name: { type: 'string' },
    models: { type: 'string' },
    embeddings: { type: 'string' },
    images: { type: 'string' },
    thinking: { type: 'boolean' },
    key: { type: 'string', default: process.env.DEMO_BACKEND_KEY ?? '' },
    port: { type: 'string', default: '0' },
    pace: { type: 'string', default: '15' },
  },
})
const { name, models, embeddings, images, thinking, key, port, pace } = values
if (!name || !(models || embeddings || images)) {
  console.error(
    'usage: backend-main --name NAME [--models "MODEL,MODEL"] [--embeddings "MODEL,…"] [--images "MODEL,…"] [--thinking] [--key SECRET] [--port N] [--pace MS]',
  )
  process.exit(2)
}

const names = (list: string): readonly string[] => list.split(',').map(model => model.trim())
const embedder = sentenceEncoder()
const server = createDemoBackend({
  name,
  ...(models && { models: names(models) }),
  ...(embeddings && { embeddings: { models: names(embeddings), embedder } }),
  ...(images && { images: names(images) }),
  ...(thinking && { thinking }),
  ...(key && { key }),
  paceMs: Number(pace),
  now: Date.now,
})
server.listen(Number(port), '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object') console.log(JSON.stringify({ port: address?.port }))
  // Behind the parent's back, so that neither its start nor the first request waits for the model.
  if (embeddings) embedder.embed(['ready']).catch(error => console.error(`${name} cannot embed:`, error))
})

// Standard input ends with the parent, however it ends; no backend outlives the demo.
process.stdin.on('close', () => process.exit()).resume()
process.on('SIGTERM', () => process.exit())
// Ctrl-C reaches the parent's children too, and a gateway that drains still needs them.
if (!process.stdin.isTTY) process.on('SIGINT', () => {})
