import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { removeFolder } from '../../lanes/remove-folder.ts'
import { startBackend } from '../../support/backend.ts'
import { compileProgram } from '../program.ts'
import { filesOf, startSite, yamlOf } from '../site.ts'

const program = compileProgram()
afterAll(() => program.end())

it.each([
  ['one process', ''],
  ['two workers', ', workers: 2'],
])('%s: a store that is gone is refused, so that no key is answered 401, until --new-store', async (_, workers) => {
  const backend = await startBackend()
  const dir = filesOf({ 'config.yaml': yamlOf(backend.url, workers) })
  const first = await startSite(program, dir, 'config.yaml')
  const key = await first.key()
  expect((await first.chat(key)).status).toBe(200)
  await first.gateway.end()
  await removeFolder(join(dir, 'state/store'))

  const refused = await program.run(['serve', '-c', 'config.yaml'], { cwd: dir, env: first.env })
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/state\/store is refused: it is gone or empty/),
  })
  expect(refused.stderr).toContain('svcctl serve --new-store')

  const second = await startSite(program, dir, 'config.yaml', '--new-store')
  expect((await second.chat(key)).status).toBe(401)
  await second.gateway.end()
  const third = await startSite(program, dir, 'config.yaml')
  expect(third.gateway.said()).toContain('Store')
  await backend.close()
})
