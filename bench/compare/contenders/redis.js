import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { start, stop } from '../processes.js'

export const missingRedis = () =>
  spawnSync('redis-server', ['--version']).error
    ? 'redis-server is not installed: apt-get install redis-server'
    : undefined

/** Starts a Redis that represents one on another machine: next to the load client, and durable as we ask of operators. */
export async function startRedis({ port, directory, core }) {
  const own = join(directory, `redis-${port}`)
  mkdirSync(own, { recursive: true })
  const durable = ['--appendonly', 'yes', '--appendfsync', 'everysec', '--save', '']
  const args = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--dir',
    own,
    '--maxmemory-policy',
    'noeviction',
    ...durable,
  ]
  const child = await start(['redis-server', ...args], { core, port })
  return { port, pid: child.pid, stop: () => stop(child) }
}

/** How often each command was called so far, including calls from scripts. */
export function commandCounts(port) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('INFO commandstats\r\n'))
    let text = ''
    socket.on('error', reject)
    socket.on('data', bytes => {
      text += bytes
      if (!text.endsWith('\r\n\r\n') && !/\r\n$/.test(text)) return
      socket.destroy()
      resolve(
        Object.fromEntries(
          [...text.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)].map(([, name, calls]) => [name, Number(calls)]),
        ),
      )
    })
  })
}
