import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { cores, familyOf, start, stop } from '../processes.js'

const SECONDS_TO_START = 120
const RETRY_MS = 100
const CHAT = { model: 'svc-core', messages: [{ role: 'user', content: 'bench:whole' }] }

/**
 * A contender that is another project's program, on one core like every contender. `command` returns the words and the environment
 * that start it, for `{ port, backend, directory }`. It has started once it has passed on a chat: some listen before they know
 * their backend.
 */
export const peer = ({ name, program, install, command, headers = {} }) => ({
  name,
  isPeer: true,
  missing: () => (existsSync(program) ? undefined : `${name} is not installed: ${install}`),
  headers: () => headers,
  async start({ port, backend, directory }) {
    const own = join(directory, `peer-${port}`)
    mkdirSync(own, { recursive: true })
    const { words, env } = command({ port, backend, directory: own })
    const place = { core: cores.contender, port, log: join(own, 'log'), seconds: SECONDS_TO_START }
    const child = await start([program, ...words], { ...place, env })
    await passesOn(name, port, headers)
    return { ports: [port], pids: familyOf(child.pid), stop: () => stop(child) }
  },
})

async function passesOn(name, port, headers) {
  const chat = {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(CHAT),
  }
  const url = `http://127.0.0.1:${port}/v1/chat/completions`
  const until = performance.now() + 1000 * SECONDS_TO_START
  let last
  while (performance.now() < until) {
    last = await fetch(url, chat).then(
      async response => ({ isWell: response.ok, text: `${response.status} ${await response.text()}` }),
      error => ({ isWell: false, text: String(error) }),
    )
    if (last.isWell) return
    await sleep(RETRY_MS)
  }
  throw new Error(`${name} passes no chat on: ${last?.text}`)
}
