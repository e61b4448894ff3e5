import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { running } from '../cli/program.ts'
import { ROOT } from '../deploy/files.ts'
import { blocksOf } from '../docs/page.ts'
import { Reader } from '../docs/reader.ts'
import { startBackend } from '../support/backend.ts'
import { childEnv } from '../support/child-env.ts'
import { freePort } from '../support/free-port.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { mayMount } from './root.ts'

const PAGE = 'docs/how-to/monitoring.md'

/** The address that the page gives to Prometheus. */
const ITS_ADDRESS = '127.0.0.1:9099'

/** The commands of the page, with files of their own in place of the machine's; then Prometheus, as the unit of its package starts it. */
const onDebian = (folder: string, commands: string): string => `
  set -e
  mount --bind ${folder}/etc /etc/prometheus
  mount --bind ${folder}/default /etc/default
  mount --bind ${folder}/state /var/lib/prometheus
  chown prometheus: /var/lib/prometheus
  systemctl() { echo "systemctl $*"; }
  ${commands}
  . /etc/default/prometheus
  exec setpriv --reuid=prometheus --regid=prometheus --init-groups prometheus $ARGS`

/** The package's files, and a clone whose Prometheus scrapes often. */
function machine(admin: string): string {
  const folder = temporaryFolder('debian')
  for (const [from, to] of [
    ['/etc/prometheus', 'etc'],
    ['/etc/default/prometheus', 'default/prometheus'],
    [join(ROOT, 'deploy/prometheus'), 'clone/deploy/prometheus'],
  ] as const)
    cpSync(from, join(folder, to), { recursive: true })
  mkdirSync(join(folder, 'state'))
  const file = join(folder, 'clone/deploy/prometheus/prometheus.yaml')
  const text = readFileSync(file, 'utf8').replace('127.0.0.1:9090', admin)
  writeFileSync(file, text.replace('scrape_interval: 15s', 'scrape_interval: 1s'))
  return folder
}

describe.skipIf(!mayMount)('a reader who is root', () => {
  it('the Prometheus of Debian scrapes a gateway and has its rules, by the commands of the page', async () => {
    const backend = await startBackend()
    const reader = await Reader.arrive({ main: join(ROOT, 'bin/svcctl.js'), ports: { 8000: backend.port } })
    onTestFinished(async () => {
      await reader.leave()
      await backend.close()
    })
    await reader.run('svcctl init my-gateway --backend http://127.0.0.1:8000/v1\ncd my-gateway')
    await reader.run('svcctl serve')
    await reader.read(PAGE)
    const [cwd = '', admin = ''] = (await reader.run('pwd\necho $ADMIN')).split('\n')
    const commands = blocksOf(PAGE).find(({ text }) => text.includes('systemctl'))?.text ?? ''
    const address = `127.0.0.1:${await freePort()}`
    const folder = machine(admin)

    const script = onDebian(folder, commands.replace(ITS_ADDRESS, address))
    const env = childEnv({ GATEWAY: join(folder, 'clone') })
    const child = spawn('unshare', ['--mount', '--propagation', 'private', 'bash', '-c', script], { cwd, env })
    const prometheus = running(child)
    onTestFinished(async () => void (await prometheus.end()))
    const asked = (path: string) =>
      fetch(`http://${address}/api/v1/${path}`)
        .then(response => response.text())
        .catch(() => prometheus.said())

    await expect.poll(() => asked('query?query=up')).toMatch(/"job":"svc-gateway"[^[]*"value":\[[\d.]+,"1"\]/)
    expect(await asked('rules')).toContain('"name":"SvcPoolDown"')
    expect(prometheus.said()).toMatch(/^systemctl restart prometheus$/m)
  })
})
