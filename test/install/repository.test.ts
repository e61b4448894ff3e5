import { execFile, execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { running } from '../cli/program.ts'
import { ROOT } from '../deploy/files.ts'
import { HANGS_MS } from '../lanes/hangs.ts'
import { removeFolder } from '../lanes/remove-folder.ts'
import { childEnv } from '../support/child-env.ts'
import { freePort } from '../support/free-port.ts'

// A repository of policies that `init --repo` made, cloned by a user that no file of users knows: it has no home of its own, and the
// commands of its workflows are run there one by one, with the packed package in the repository.

/** Nobody's. Where the tests may not become another user, they run as their own. */
const OTHER = process.getuid?.() === 0 ? 43_210 : undefined

const all = mkdtempSync(join(tmpdir(), 'svc-repository-'))
const origin = join(all, 'origin')
const cache = join(all, 'npm')

beforeAll(async () => {
  chmodSync(all, 0o755)
  execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', all], { cwd: ROOT })
  const tarball = join(all, readdirSync(all).find(name => name.endsWith('.tgz')) ?? '')
  const pinned = `${tarball}#sha256=${createHash('sha256').update(readFileSync(tarball)).digest('hex')}`
  mkdirSync(cache)
  const seed = join(all, 'seed')
  execFileSync(process.execPath, [join(ROOT, 'bin/svcctl.js'), 'init', '--repo', '--package', pinned, seed], {
    stdio: 'ignore',
  })
  const git = (...words: string[]) =>
    execFileSync('git', ['-C', seed, '-c', 'user.name=t', '-c', 'user.email=t@example.com', ...words])
  git('init', '--quiet', '--initial-branch=main')
  git('add', '-A')
  git('commit', '--quiet', '-m', 'first')
  git('checkout', '--quiet', '-b', 'change')
  const plans = join(seed, 'policies/plans.yaml')
  writeFileSync(plans, readFileSync(plans, 'utf8').replace('rpm: 20 ', 'rpm: 10 '))
  git('commit', '--quiet', '-am', 'less')
  execFileSync('git', ['clone', '--quiet', '--bare', seed, origin])
  for (const path of [cache, origin]) belongTo(OTHER, path)
})

afterAll(() => removeFolder(all))

function belongTo(user: number | undefined, path: string): void {
  if (user === undefined) return
  for (const name of readdirSync(path, { recursive: true, encoding: 'utf8' })) chownSync(join(path, name), user, user)
  chownSync(path, user, user)
}

/** Runs a line of a workflow as the other user, as its runner does; rejects where it fails. */
async function runLine(line: string, cwd: string, env: Readonly<Record<string, string>>): Promise<string> {
  const become = OTHER === undefined ? [] : ['setpriv', `--reuid=${OTHER}`, `--regid=${OTHER}`, '--clear-groups']
  const [command = '', ...words] = [...become, 'bash', '-e', '-c', line]
  const own = {
    PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
    // A container reports this home when it runs as an unknown user id.
    HOME: '/',
    npm_config_cache: cache,
    npm_config_update_notifier: 'false',
    // Where npm finds what the package depends on, and whose certificate that shows.
    ...Object.fromEntries(
      ['npm_config_registry', 'NODE_EXTRA_CA_CERTS'].flatMap(name =>
        process.env[name] === undefined ? [] : [[name, process.env[name]]],
      ),
    ),
  }
  const { stdout } = await promisify(execFile)(command, words, { cwd, env: { ...own, ...env }, timeout: 5 * HANGS_MS })
  return stdout
}

async function cloneOf(name: string): Promise<string> {
  const clone = join(all, name)
  mkdirSync(clone)
  belongTo(OTHER, clone)
  await runLine(`git clone --quiet --branch change ${origin} ${clone}`, all, {})
  return clone
}

it('each command of the workflow for GitHub passes in a fresh clone of another user without a home', async () => {
  const clone = await cloneOf('github')
  const { env, jobs } = parse(readFileSync(join(clone, '.github/workflows/policies.yml'), 'utf8'))
  const steps: readonly { readonly run?: string }[] = [...jobs.check.steps, ...jobs.plan.steps]
  const lines = steps.flatMap(({ run }) => (run === undefined || run.includes('gh api') ? [] : [run]))
  const variables = { ...env, GITHUB_BASE_REF: 'main', GITHUB_STEP_SUMMARY: join(clone, '../github/summary.md') }

  expect(lines).toHaveLength(8)
  for (const line of lines) await runLine(line, clone, variables)

  expect(JSON.parse(readFileSync(join(clone, 'policies.sarif'), 'utf8'))).toMatchObject({
    version: '2.1.0',
    runs: [{ results: [] }],
  })
  expect(readFileSync(join(clone, 'summary.md'), 'utf8')).toContain(
    '- ↓ plan free: rpm 20 → 10  (policies/plans.yaml:6)',
  )
})

it('each command of the workflow for GitLab passes where the clone belongs to another user, and the comment is written once and then replaced', async () => {
  const clone = await cloneOf('gitlab-own')
  // As a runner leaves it: of its own user, and open to all.
  const checkout = join(all, 'gitlab')
  cpSync(clone, checkout, { recursive: true })
  belongTo(process.getuid?.(), checkout)
  for (const name of ['', ...readdirSync(checkout, { recursive: true, encoding: 'utf8' })])
    chmodSync(join(checkout, name), 0o777)
  const api = await gitlab()
  const { variables, default: jobs, check, plan } = parse(readFileSync(join(checkout, '.gitlab-ci.yml'), 'utf8'))
  const before: readonly string[] = jobs.before_script
  const env = {
    ...Object.fromEntries(
      Object.entries(variables).map(([name, value]) => [name, String(value).replace('$CI_PROJECT_DIR', checkout)]),
    ),
    CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main',
    CI_API_V4_URL: api.url,
    CI_PROJECT_ID: '7',
    CI_MERGE_REQUEST_IID: '3',
    COMMENT_TOKEN: 'not-a-token',
  }

  for (const line of [...before, ...check.script, ...check.after_script, ...plan.script])
    await runLine(line, checkout, env)
  await runLine(plan.script.at(-1), checkout, env)
  api.close()

  expect(api.asked).toEqual(['GET notes?per_page=100', 'POST notes', 'GET notes?per_page=100', 'PUT notes/1'])
  expect(api.bodies).toEqual(['another comment', readFileSync(join(checkout, 'plan.md'), 'utf8')])
})

it('with SVCCTL_ADMIN both workflows count the accounts that a change touches, and without an answer compare with the branch', async () => {
  const { admin, end } = await gatewayOfMain()
  onTestFinished(end)
  const clone = await cloneOf('asks')
  const plans = [
    parse(readFileSync(join(clone, '.github/workflows/policies.yml'), 'utf8')).jobs.plan.steps.find((step: Step) =>
      step.run?.includes('svcctl plan'),
    ).run,
    parse(readFileSync(join(clone, '.gitlab-ci.yml'), 'utf8')).plan.script.find((line: string) =>
      line.includes('svcctl plan'),
    ),
  ]
  const { env, jobs } = parse(readFileSync(join(clone, '.github/workflows/policies.yml'), 'utf8'))
  await runLine(jobs.plan.steps.find((step: Step) => step.run?.includes('npm install')).run, clone, env)
  const planned = async (line: string, more: Readonly<Record<string, string>>) => {
    await runLine('git fetch --quiet origin main', clone, {})
    await runLine(line, clone, { ...env, GITHUB_BASE_REF: 'main', SVCCTL_ADMIN: admin, ...more })
    return readFileSync(join(clone, 'plan.md'), 'utf8')
  }

  for (const line of plans) {
    const asked = await planned(line, { SVCCTL_TOKEN: TOKEN })
    expect(asked).toContain('- ↓ plan free: rpm 20 → 10')
    expect(asked).toMatch(/Whom it touches[\s\S]*1 account .*free/)
  }
  expect(await planned(plans[0], { SVCCTL_TOKEN: 'not-it' })).toMatch(/against `origin\/main`[\s\S]*Not counted/)
})

it('a package whose hash is another ends a workflow before any code of it runs', async () => {
  const clone = await cloneOf('changed')
  const { env, jobs } = parse(readFileSync(join(clone, '.github/workflows/policies.yml'), 'utf8'))
  const install = jobs.check.steps.find((step: Step) => step.run?.includes('npm install')).run

  await expect(runLine(install, clone, { ...env, SHA256: '0'.repeat(64) })).rejects.toThrow('did NOT match')

  expect(readdirSync(clone)).not.toContain('.svcctl')
})

interface Step {
  readonly run?: string
}

const TOKEN = 'the-token-of-operators'

/** A gateway that serves the branch main, with one account on the plan free. */
async function gatewayOfMain() {
  const folder = join(all, 'served')
  execFileSync('git', ['clone', '--quiet', '--branch', 'main', join(all, 'seed'), folder])
  const admin = `127.0.0.1:${await freePort()}`
  const env = childEnv({ LISTEN: '127.0.0.1:0', ADMIN: admin, SVCCTL_TOKEN: TOKEN })
  const svcctl = join(ROOT, 'bin/svcctl.js')
  const gateway = running(spawn(process.execPath, [svcctl, 'serve'], { cwd: folder, env }))
  await gateway.until(admin)
  const mint = [svcctl, 'keys', 'mint', '--plan', 'free', '--account', 'ada@example.com']
  execFileSync(process.execPath, mint, { cwd: folder, env, stdio: 'ignore' })
  return { admin, end: async () => void (await gateway.end('SIGKILL')) }
}

/** The notes of one merge request, which has one of somebody else. */
async function gitlab() {
  const asked: string[] = []
  const bodies = ['another comment']
  const server = createServer(async (request, response) => {
    const [, path = ''] = request.url?.split('/projects/7/merge_requests/3/') ?? []
    asked.push(`${request.method} ${path}`)
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = new URLSearchParams(Buffer.concat(chunks).toString()).get('body') ?? ''
    if (request.method === 'POST') bodies.push(body)
    if (request.method === 'PUT') bodies[Number(path.split('/')[1])] = body
    response.end(JSON.stringify(bodies.map((text, id) => ({ id, body: text }))))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, asked, bodies, close: () => server.close() }
}
