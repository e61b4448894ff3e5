import { execFileSync, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { running } from '../cli/program.ts'
import { ROOT, textOf } from '../deploy/files.ts'
import { startBackend } from '../support/backend.ts'
import { freePort } from '../support/free-port.ts'
import { CHROOT, mayChroot, put, rootWith } from './root.ts'

/** From the start of the image to the first request that is answered. */
const MOST_MS = 60_000
/** The user `node` of the image. */
const NODE_USER = 1000

/** The last stage of the Containerfile: its instructions, each with what stands behind it. */
const steps = textOf('deploy/Containerfile')
  .split(/^FROM .*$/m)
  .at(-1)
  ?.replace(/\\\n/g, ' ')
  .split('\n')
  .flatMap(line => {
    const [, name, rest] = /^([A-Z]+) (.*)$/.exec(line) ?? []
    return name === undefined || rest === undefined ? [] : [{ name, rest: rest.trim() }]
  })

const of = (name: string) => (steps ?? []).filter(step => step.name === name).map(({ rest }) => rest)

/** What ENV sets. */
const env = Object.fromEntries(
  of('ENV').flatMap(rest =>
    rest.split(/\s+/).map(pair => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  ),
)

/** Does what the last stage says: its files come from this folder, and those of other stages are made as these make them. */
function build(root: string): void {
  const [home = ''] = of('WORKDIR')
  for (const rest of of('COPY')) {
    const [, stage, names = ''] = /^(?:--from=(\S+) )?(.*)$/.exec(rest) ?? []
    if (stage === 'dependencies') dependencies(join(root, home))
    else copy(root, home, stage === 'build' ? names.replace('/src/', '') : names)
  }
  const [, state = '', to = '', from = ''] = /install -d .* (\S+) && ln -s (\S+) (\S+)$/.exec(of('RUN').join()) ?? []
  execFileSync('install', ['-d', '-o', `${NODE_USER}`, '-g', `${NODE_USER}`, '-m', '0700', join(root, state)])
  symlinkSync(to, join(root, from))
}

function copy(root: string, home: string, names: string): void {
  const files = names.split(' ')
  const target = files.pop() ?? ''
  for (const file of files) put(root, join(ROOT, file), join(home, target === './' ? file : target))
}

function dependencies(folder: string): void {
  mkdirSync(folder, { recursive: true })
  for (const file of ['package.json', 'package-lock.json', '.npmrc']) cpSync(join(ROOT, file), join(folder, file))
  execFileSync('npm', ['ci', '--omit=dev', '--ignore-scripts', '--silent'], { cwd: folder, stdio: 'ignore' })
}

describe.skipIf(!mayChroot)('a root with Node alone, where the steps of the image are done', () => {
  it('has the first answer within a minute, as the user of the image', async () => {
    const root = rootWith({ '/usr/local/bin/node': process.execPath, '/usr/bin/env': '/usr/bin/env' })
    mkdirSync(join(root, '/etc/svc-gateway/deploy'), { recursive: true, mode: 0o777 })
    build(root)
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

    const begun = performance.now()
    const [entry = '', program = ''] = JSON.parse(of('ENTRYPOINT')[0] ?? '[]')
    const gateway = running(spawn(CHROOT, inside(entry, program, ...JSON.parse(of('CMD').at(-1) ?? '[]')), { env: at }))
    onTestFinished(async () => void (await gateway.end()))
    const ready = () => fetch(`http://${ports.ADMIN}/readyz`).then(({ status }) => status)
    await expect.poll(() => ready().catch(() => gateway.said()), { timeout: MOST_MS }).toBe(200)
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
    expect(performance.now() - begun).toBeLessThan(MOST_MS)
    expect(existsSync(join(root, 'bin/sh'))).toBe(false)
  })
})
