import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { compileProgram, type Program } from '../../cli/program.ts'
import { filesOf, yamlOf } from '../../cli/site.ts'
import { type Backend, startBackend } from '../../support/backend.ts'
import { childEnv } from '../../support/child-env.ts'

/** A secret that no pattern recognises. */
const SECRET = 'correct-horse-battery-staple'

let program: Program
let backend: Backend
beforeAll(async () => {
  program = compileProgram()
  backend = await startBackend()
})
afterAll(async () => {
  await program.end()
  await backend.close()
})

it('a secret that came with a reload is in no line either', async () => {
  const before = `${yamlOf(backend.url)}log: { format: json }\n`
  const cwd = filesOf({ 'config.yaml': before })
  const env = childEnv({ SVCCTL_TOKEN: 'operators-own-token', LATER: SECRET })
  const child = spawn(process.execPath, [program.main, 'serve'], { cwd, env, stdio: 'pipe' })
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  child.stdout.on('data', bytes => (said += bytes))
  child.stderr.on('data', bytes => (said += bytes))
  const patience = { timeout: 60_000 }
  await expect.poll(() => said, patience).toContain('"listen"')
  const url = /"listen":"([^"]+)"/.exec(said)?.[1] ?? ''

  writeFileSync(join(cwd, 'config.yaml'), before.replace('model: test-model,', `model: test-model, key: "\${LATER}",`))
  child.kill('SIGHUP')
  await expect.poll(() => said, patience).toContain('reloaded')
  await fetch(`${url}/v1/models/${SECRET}`)
  await expect.poll(() => said, patience).toContain('"path"')

  expect(said).not.toContain(SECRET)
})
