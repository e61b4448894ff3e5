import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { endSession } from './end-session.ts'

/** Starts a process that holds its stdout, and leaves it behind. */
const LEAVES = `
const child = require('child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: ['ignore', 'inherit', 'ignore'] })
child.once('spawn', () => process.exit())
`

it('what a program left behind in its session ends', async () => {
  const program = spawn(process.execPath, ['-e', LEAVES], { detached: true, stdio: ['ignore', 'pipe', 'inherit'] })
  program.stdout.resume()
  const closed = once(program, 'close')
  await once(program, 'exit')
  expect(program.stdout.closed).toBe(false)

  await endSession(program.pid ?? 0)

  await closed
})
