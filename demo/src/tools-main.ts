import { parseArgs } from 'node:util'
import { stepBack } from './step-back.ts'
import type { Handler } from './tools/mcp.ts'
import { createToolServer } from './tools/server.ts'

// The tools of the demo as a process of their own, units at /convert and the search in the documents of a package at /mcp:
//   node demo/dist/tools-main.js --docs . [--version 0.1.0] [--port 0]
const { values } = parseArgs({
  options: {
    docs: { type: 'string' },
    version: { type: 'string', default: '0.0.0' },
    port: { type: 'string', default: '0' },
  },
})
const { docs, version, port } = values
if (!docs) {
  console.error('usage: tools-main --docs FOLDER [--version V] [--port N]')
  process.exit(2)
}

// The demo's start comes first: the first call of a tool may wait.
stepBack()

/** Most demos have started by then. */
const LOAD_AFTER_MS = 1500

// Loading takes a third of a second: by the first search at the latest, and else when the demo's start has what it needs.
let loaded: Promise<Handler> | undefined
const load = () => {
  loaded ??= import('./tools/mcp.ts').then(({ docsServer }) => docsServer(docs, version))
  return loaded
}
const server = createToolServer(load)
server.listen(Number(port), '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object') console.log(JSON.stringify({ port: address?.port }))
  const tell = (error: unknown) => console.error('the demo cannot search its documents:', error)
  setTimeout(() => load().catch(tell), LOAD_AFTER_MS)
})

// Standard input ends with the parent, however it ends; no tool outlives the demo.
process.stdin.on('close', () => process.exit()).resume()
process.on('SIGTERM', () => process.exit())
// Ctrl-C reaches the parent's children too, and a gateway that drains still needs them.
if (!process.stdin.isTTY) process.on('SIGINT', () => {})
