import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { running } from '../cli/program.ts'
import { ROOT, textOf } from '../deploy/files.ts'
import { startBackend } from '../support/backend.ts'
import { freePort } from '../support/free-port.ts'
import { CHROOT, mayMount, rootWith } from './root.ts'
import { buildStages, environmentOf, saidBy, stagesOf } from './stages.ts'

/** The user `node` of the image. */
const NODE_USER = 1000

const stages = stagesOf(textOf('deploy/Containerfile'))
const image = stages.at(-1) ?? { name: '', instructions: [] }
const env = environmentOf(image)

describe.skipIf(!mayMount)('what all stages of the Containerfile build, in a root with Node alone', () => {
  it('has the first answer, as the user of the image', async () => {
    const built = await buildStages(stages, NODE_USER)
    const root = rootWith({ '/usr/local/bin/node': process.execPath, '/usr/bin/env': '/usr/bin/env' })
    mkdirSync(join(root, '/etc/svc-gateway/deploy'), { recursive: true, mode: 0o777 })
    // With its owners, and the links as they are.
    execFileSync('cp', ['-a', `${built}/.`, root])
    const backend = await startBackend()
    onTestFinished(() => backend.close())
    const ports = { LISTEN: `127.0.0.1:${await freePort()}`, ADMIN: `127.0.0.1:${await freePort()}` }
    const folder = join(root, dirname(env.SVCCTL_CONFIG ?? ''))
    execFileSync(process.execPath, [
      join(ROOT, 'bin/svcctl.js'),
      'init',
      folder,
      '--backend',
      `http://127.0.0.1:${backend.port}/v1`,
    ])
    const main = join(folder, 'config.yaml')
    writeFileSync(
      main,
      readFileSync(main, 'utf8')
        .replace(/^server:\n/m, `server:\n  state_dir: ${env.STATE_DIR}\n`)
        .replace(/embedded:\S+/, `embedded:${env.STATE_DIR}/store`),
    )
    const inside = (...args: readonly string[]) => ['--userspec', `${NODE_USER}:${NODE_USER}`, root, ...args]
    const at = { ...env, ...ports, PATH: '/usr/local/bin:/usr/bin' }

    const [entry = '', program = ''] = JSON.parse(saidBy(image, 'ENTRYPOINT')[0] ?? '[]')
    const gateway = running(
      spawn(CHROOT, inside(entry, program, ...JSON.parse(saidBy(image, 'CMD').at(-1) ?? '[]')), { env: at }),
    )
    onTestFinished(async () => void (await gateway.end()))
    const ready = () => fetch(`http://${ports.ADMIN}/readyz`).then(({ status }) => status)
    await expect.poll(() => ready().catch(() => gateway.said())).toBe(200)
    const minted = execFileSync(
      CHROOT,
      inside('svcctl', 'keys', 'mint', '--plan', 'pro', '--account', 'ada@example.com'),
      { env: at, encoding: 'utf8' },
    )
    const answered = await fetch(`http://${ports.LISTEN}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${/svc_\S+/.exec(minted)?.[0]}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'svc-core', messages: [{ role: 'user', content: 'Hi' }] }),
    })

    expect(`${answered.status} ${await answered.text()}`).toMatch(/^200 .*"content":"Hello/)
    expect(existsSync(join(root, 'bin/sh'))).toBe(false)
  })
})
