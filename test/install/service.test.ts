import { execFileSync, spawn } from 'node:child_process'
import { chownSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { running } from '../cli/program.ts'
import { ROOT, textOf } from '../deploy/files.ts'
import { blocksOf } from '../docs/page.ts'
import { startBackend } from '../support/backend.ts'
import { childEnv } from '../support/child-env.ts'
import { freePort } from '../support/free-port.ts'
import { CHROOT, mayMount, rootWith } from './root.ts'

/** systemd's DynamicUser assigns ids from 61184 to 65519. */
const USER = 61_184

/** Each setting of the unit, with what stands behind it, in its order. */
const settings = [...textOf('deploy/svc-gateway.service').matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value = '']) => ({
  name,
  value,
}))
const all = (name: string) => settings.filter(setting => setting.name === name).map(({ value }) => value)
const one = (name: string) => all(name)[0] ?? ''

/**
 * The effects of the systemd unit, as far as they work without systemd: a root where nothing but the state and /tmp can be
 * written, a user of its own without any right, no dump of its memory, and its umask.
 */
const asSystemd = (root: string): string => `
  set -e
  mount --bind ${root} ${root}
  mount --bind ${ROOT} ${root}/opt/svc-gateway
  for path in ${root} ${root}/opt/svc-gateway; do mount -o remount,bind,ro $path; done
  mount -t tmpfs -o mode=0700,uid=${USER},gid=${USER} none ${root}/tmp
  mount --bind ${root}-state ${root}/var/lib/svc-gateway
  mount --bind /dev/null ${root}/dev/null
  umask ${one('UMask')}
  exec prlimit --core=${one('LimitCORE')} ${CHROOT} ${root} /usr/bin/setpriv \\
    --reuid=${USER} --regid=${USER} --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all ${one('ExecStart')}`

describe.skipIf(!mayMount)('the unit, as systemd would start it', () => {
  it('has the first answer, writes its state alone, and leaves no right to others', async () => {
    const backend = await startBackend()
    onTestFinished(() => backend.close())
    const root = rootWith({ '/usr/bin/node': process.execPath, '/usr/bin/setpriv': '/usr/bin/setpriv' })
    const state = `${root}-state`
    for (const path of ['opt/svc-gateway', 'var/lib/svc-gateway']) mkdirSync(join(root, path), { recursive: true })
    mkdirSync(state, { mode: Number.parseInt(one('StateDirectoryMode'), 8) })
    onTestFinished(() => void execFileSync('rm', ['-rf', state]))
    chownSync(state, USER, USER)
    const init = ['init', join(root, 'etc/svc-gateway'), '--backend', `http://127.0.0.1:${backend.port}/v1`]
    execFileSync(process.execPath, [join(ROOT, 'bin/svcctl.js'), ...init], { stdio: 'ignore' })
    // As config.example.yaml has it.
    const main = join(root, 'etc/svc-gateway/config.yaml')
    const text = readFileSync(main, 'utf8').replace(/^server:\n/m, `server:\n  state_dir: $\{STATE_DIR}\n`)
    writeFileSync(main, text.replace(/embedded:\S+/, `$\{STORE}`))
    const [listen, admin] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`]
    const given = Object.fromEntries(
      all('Environment').flatMap(pairs => pairs.split(' ').map(pair => /^(\w+)=(.*)$/.exec(pair)?.slice(1) ?? [])),
    )

    const child = spawn('unshare', ['--mount', '/bin/sh', '-c', asSystemd(root)], {
      env: childEnv({ ...given, LISTEN: listen, ADMIN: admin }),
    })
    const gateway = running(child)
    onTestFinished(async () => void (await gateway.end()))
    await gateway.until(listen)
    // systemctl has started it.
    const commands = blocksOf('docs/operations/run.md').find(({ text }) => text.startsWith('systemctl enable'))?.text
    const here = `systemctl() { :; }\n${commands}`
      .replace('127.0.0.1:9090', admin)
      .replace('/var/lib/svc-gateway', state)
      .replace('/opt/svc-gateway', ROOT)
    const minted = execFileSync('bash', ['-e', '-c', here], { cwd: '/', encoding: 'utf8' })
    const answered = await fetch(`http://${listen}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${/svc_\S+/.exec(minted)?.[0]}`, 'content-type': 'application/json' },
      body: JSON.stringify({ messages: [{ role: 'user', content: 'Hi' }] }),
    })

    expect(`${answered.status} ${await answered.text()}`).toMatch(/^200 .*"content":"Hello/)
    const kept = readdirSync(state, { recursive: true, encoding: 'utf8' }).map(name => statSync(join(state, name)))
    expect(kept.length).toBeGreaterThan(1)
    expect(kept.filter(({ uid, mode }) => uid !== USER || (mode & 0o077) !== 0)).toEqual([])
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
    expect(status).toMatch(/^NoNewPrivs:\t1$/m)
    expect(status).toMatch(/^CapBnd:\t0+$/m)
    expect(status).toMatch(new RegExp(`^Uid:\t${USER}\t`, 'm'))
  })
})
