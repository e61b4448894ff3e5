import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signInAs } from '../../demo/browser.ts'
import { blocksOf } from '../../docs/page.ts'
import { removeFolder } from '../../lanes/remove-folder.ts'
import { root } from '../../simulate/example.ts'
import { compileProgram, type Program, type Running } from '../program.ts'

// The lines of docs/accounts/sign-in.md as they are printed, in one shell of their reader; only `npx` is the program of these sources.
const dir = mkdtempSync(join(tmpdir(), 'demo-sign-in-'))
let program: Program
let demo: Running
let api: string
let chat: string

beforeAll(async () => {
  program = compileProgram()
  writeFileSync(join(dir, 'npx'), `#!/bin/sh\nshift 2\nexec "${process.execPath}" "${program.main}" "$@"\n`, {
    mode: 0o755,
  })
  demo = program.start(['serve', '--demo'], { env: { XDG_CONFIG_HOME: join(dir, '.config') } })
  api = /http:\/\/localhost:\d+/.exec(await demo.until('onprem-core is gone'))?.[0] ?? ''
  chat = `curl -s -o /dev/null -w '%{http_code}\\n' ${api}/v1/chat/completions -H 'content-type: application/json' -d '{"messages":[{"role":"user","content":"hi"}]}' -H`
}, 60_000)

afterAll(async () => {
  await program.end()
  await removeFolder(dir)
})

test('the start says nothing of what the identity provider warns about', () => {
  expect(demo.said()).not.toMatch(/WARNING|NOTICE|oidc-provider/)
})

test.each([
  ['ada', 'pro'],
  ['bob', 'free'],
])(
  'as printed, %s signs in with plan %s, mints, chats, rotates and revokes; each value is dead once it is replaced',
  async (user, plan) => {
    const ran = await script(
      [
        'npx --no svcctl login && npx --no svcctl whoami',
        line('API='),
        line('own()'),
        line('KEY=$(own $API/v1/keys/developer -d'),
        'FIRST=$KEY',
        `${chat} "Authorization: Bearer $FIRST"`,
        line('KEY=$(own $API/v1/keys/developer -d'),
        line('KEY=$(own $API/v1/keys/developer/rotate'),
        `${chat} "Authorization: Bearer $FIRST"`,
        `${chat} "Authorization: Bearer $KEY"`,
        line('own $API/v1/keys/developer/revoke'),
        'echo',
        `${chat} "Authorization: Bearer $KEY"`,
      ],
      user,
    )

    expect(ran.stderr).toContain(`✓ Signed in to`)
    const [who, said] = [ran.stdout.slice(0, ran.stdout.indexOf('svc_')), ran.stdout.slice(ran.stdout.indexOf('svc_'))]
    expect(who).toMatch(new RegExp(`^label +${user}@example.com$`, 'm'))
    expect(who).toMatch(new RegExp(`^plan +${plan}$`, 'm'))
    const [minted = '', chatted, again, rotated, old, fresh, revoked, dead] = said.trim().split('\n')
    expect(minted).toMatch(/^svc_\w{42}$/)
    expect(again).toBe(`${minted.slice(0, 8)}…`)
    expect(rotated).toMatch(/^svc_\w{42}$/)
    expect([chatted, old, fresh, dead]).toEqual(['200', '401', '200', '401'])
    expect(JSON.parse(revoked ?? '')).toEqual({ key: `${rotated?.slice(0, 8)}…`, plan, revoked: true })
  },
)

test('as printed, a person names further keys, rotates one by its id and lists them', async () => {
  const further = blocksOf('docs/accounts/keys.md').find(({ text }) => text.startsWith('own $API'))?.text ?? ''
  const [mint = '', rotate = '', list = ''] = further.replace('key_7Hq2…', `'"$ID"'`).split('\n')

  const { stdout } = await script(
    [
      ...['npx --no svcctl login', line('API='), line('own()')],
      ...[`MADE=$(${mint})`, 'echo "$MADE"', `ID=$(echo "$MADE" | grep -o 'key_[A-Za-z0-9]*')`],
      ...[rotate, 'echo', list],
    ],
    'ada',
  )

  const [minted = '', rotated = '', listed = ''] = stdout.slice(stdout.indexOf('{')).trim().split('\n')
  expect(JSON.parse(minted)).toMatchObject({ name: 'ci' })
  expect(JSON.parse(rotated)).toMatchObject({ name: 'ci' })
  expect(listed.match(/"name":"ci"/g)).toHaveLength(2)
})

/** The line of docs/accounts/sign-in.md that begins so, for the demo that runs here. */
function line(beginning: string): string {
  const found = readFileSync(join(root, 'docs/accounts/sign-in.md'), 'utf8')
    .split('\n')
    .find(one => one.startsWith(beginning))
  if (found === undefined) throw new Error(`docs/accounts/sign-in.md has no line ${beginning}`)
  return found.replace('http://localhost:8080', api)
}

/** Runs the lines in one shell, and signs in where they ask for it. */
async function script(lines: readonly string[], user: string): Promise<{ stdout: string; stderr: string }> {
  const env = { PATH: `${dir}:${process.env.PATH}`, HOME: dir, LANG: 'C.UTF-8' }
  const child = spawn('bash', ['-c', lines.join('\n')], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const said = { stdout: '', stderr: '' }
  let signedIn: Promise<unknown> | undefined
  child.stdout.on('data', bytes => (said.stdout += bytes))
  child.stderr.on('data', bytes => {
    said.stderr += bytes
    const uri = /Open {2}(\S+)\n/.exec(said.stderr)?.[1]
    if (uri) signedIn ??= signInAs(user, uri)
  })
  await once(child, 'close')
  await signedIn
  return said
}
