import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { compileProgram, type Program } from '../../cli/program.ts'
import { filesOf, yamlOf } from '../../cli/site.ts'
import { freePort } from '../../support/free-port.ts'

let program: Program
beforeAll(() => {
  program = compileProgram()
})
afterAll(() => program.end())

/** The first answer of `/readyz` that is one; before that the port is closed, or the connection waits. */
async function firstReady(url: string): Promise<number> {
  for (;;) {
    const response = await fetch(`${url}/readyz`).catch(() => undefined)
    if (response) return response.status
    await new Promise(resolve => setTimeout(resolve, 1))
  }
}

it.each([1, 2])('with %i workers operators are let in by the new admin token once /readyz says so', async workers => {
  const [listen, admin] = [await freePort(), await freePort()]
  const yaml = yamlOf('http://127.0.0.1:9/v1', `, workers: ${workers}`)
    .replace('127.0.0.1:0', `127.0.0.1:${listen}`)
    .replace('127.0.0.1:0', `127.0.0.1:${admin}`)
  const dir = filesOf({ 'config.yaml': yaml })
  mkdirSync(join(dir, 'state'), { recursive: true })
  writeFileSync(join(dir, 'state/admin.token'), 'that-of-the-process-before\n')
  const gateway = program.start(['serve', '-c', 'config.yaml'], { cwd: dir })
  onTestFinished(async () => void (await gateway.end('SIGKILL')))

  expect(await firstReady(`http://127.0.0.1:${listen}`)).toBe(200)

  const token = readFileSync(join(dir, 'state/admin.token'), 'utf8').trim()
  const asked = await fetch(`http://127.0.0.1:${admin}/admin/whoami`, { headers: { authorization: `Bearer ${token}` } })
  expect(asked.status).toBe(200)
})
