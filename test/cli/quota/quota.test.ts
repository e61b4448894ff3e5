import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { answer, type Backend, startBackend } from '../../support/backend.ts'
import { openTurns, type Turns } from '../in-turn.ts'
import { compileProgram, type Program } from '../program.ts'
import { filesOf, type Site, startSite, yamlOf } from '../site.ts'

let program: Program
let turns: Turns
let backend: Backend

beforeAll(async () => {
  program = compileProgram()
  turns = openTurns(program)
  backend = await startBackend()
  backend.always(answer({ content: 'Hi', usage: { prompt_tokens: 900, completion_tokens: 30, total_tokens: 930 } }))
}, 60_000)

afterAll(async () => {
  await turns.end()
  await program.end()
  await backend.close()
})

describe('on a running gateway', () => {
  let site: Site
  let key: string
  beforeEach(async () => {
    site = await startSite(program, filesOf({ 'config.yaml': yamlOf(backend.url) }), 'config.yaml')
    key = await site.key()
  }, 60_000)
  const svcctl = (...args: string[]) => turns.run(args, { env: site.env, cwd: site.dir })
  const start = (...args: string[]) => program.start(args, { env: site.env, cwd: site.dir })
  /** The value after one more request. */
  const afterRequest = async <T>(key: string, now: () => T): Promise<T> => {
    await site.chat(key)
    return now()
  }
  /** Resolves once the command follows: the gateway tells it of nothing that ended before. */
  const following = async (...args: string[]) => {
    const tail = start(...args)
    await expect.poll(() => afterRequest('svc_nobody', tail.said)).not.toBe('')
    return tail
  }

  it('quota tail writes JSON lines into a pipe: the accounts as they are, then each request as it ends', async () => {
    const tail = start('quota', 'tail')
    await tail.until(/^\{"event":"standing".*\n/)
    await site.chat(key)
    const [first, ...more] = (await tail.until('"event":"request"'))
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line))

    expect(first).toMatchObject({
      event: 'standing',
      label: 'ada',
      plan: 'pro',
      used_usd: '0',
      limit_usd: '20',
      requests: 0,
    })
    expect(more.find(({ event }) => event === 'request')).toMatchObject({
      status: 200,
      asked: 'svc-core',
      model: 'svc-core',
      pool: 'onprem',
      usd: '0.0012',
      standing: { label: 'ada', used_usd: '0.0012', requests: 1, requests_limit: 10_000, tokens: 930 },
    })
    expect(tail.said()).not.toContain(key)
    expect(await tail.end('SIGTERM')).toBe(0)
  })

  it('a reader that has enough ends a tail, and Ctrl-C is no failure', async () => {
    const command = `node ${program.main} requests tail | head -2; echo "\${PIPESTATUS[@]}"`
    const head = program.shell(command, { env: site.env })
    let over = false
    head.finally(() => {
      over = true
    })
    // It hears that nobody reads any more when it has something to write.
    await expect.poll(() => afterRequest('svc_nobody', () => over)).toBe(true)
    expect((await head).stdout).toMatch(/^(.*INVALID_KEY\n){2}0 0\n$/)

    const tail = await following('requests', 'tail')
    expect(await tail.end('SIGINT')).toBe(0)
  })

  it('requests tail writes the line of the log and whose it was; --account and --errors choose', async () => {
    const all = await following('requests', 'tail')
    const hers = start('requests', 'tail', '--account', 'ada', '--json')
    const errors = await following('requests', 'tail', '--errors')
    await expect.poll(() => afterRequest(key, hers.said)).toMatch(/^\{"event":"request".*"label":"ada"/)

    expect(await all.until('  ada\n')).toMatch(
      /^\d\d:\d\d:\d\d {2}200 {2}svc-core {2}onprem {2}\d+ ms {2}900\+30 tok {2}\$0\.0012 {2}ada$/m,
    )
    expect(all.said()).toMatch(/^\d\d:\d\d:\d\d {2}401 {2}POST \/v1\/chat\/completions {2}\d+ ms {2}INVALID_KEY$/m)
    await errors.until('401')
    expect(errors.said()).not.toContain('200')
    expect(hers.said()).not.toContain('INVALID_KEY')
    for (const tail of [all, hers, errors]) expect(await tail.end()).toBe(0)
  })

  it('a gateway that leaves ends both with 3, and it does not wait for them', async () => {
    const tails = [await following('requests', 'tail'), await following('quota', 'tail')]
    expect(await site.gateway.end()).toBe(0)

    for (const tail of tails) {
      expect(await tail.ended).toBe(3)
      expect(tail.said()).toMatch(/✗ the gateway at \S+ is gone: it has ended\n$/)
    }
    expect(await svcctl('quota', 'tail')).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringContaining('✗ no gateway'),
    })
  })

  it('quota show has a row for every account, or for one; grant adds to its limit', async () => {
    await site.chat(key)
    const all = await svcctl('quota', 'show')
    expect(all).toMatchObject({ code: 0, stderr: '' })
    expect(all.stdout).toMatch(
      /^ACCOUNT +ID +PLAN +QUOTA +RESERVED +RPM +TPM +RESETS\nada +acct_\w+ +pro +░{10} <\$0\.01\/20\.00 +\$0\.00 +1\/10k +930\/100M +\S+T00:00:00Z\n$/,
    )

    expect((await svcctl('quota', 'grant', 'ada', '5')).stderr).toMatch(/✓ credit of ada: \$5 in all, until \S+:00Z\n/)
    const one = await svcctl('quota', 'show', 'ada', '--json')
    expect(JSON.parse(one.stdout)).toMatchObject({ label: 'ada', used_usd: '0.0012', limit_usd: '25' })
    expect(await svcctl('quota', 'show', 'bob')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('bob'),
    })
    expect(await svcctl('requests', 'tail', '--account', 'bob')).toMatchObject({ code: 1, stdout: '' })
  })
})

it('quota show needs no gateway, and quota tail does', async () => {
  const dir = filesOf({ 'config.yaml': yamlOf(backend.url) })
  const svcctl = (...args: string[]) => turns.run(args, { cwd: dir, env: {} })
  await svcctl('keys', 'mint', '--plan', 'pro', '--account', 'ada')

  expect((await svcctl('quota', 'show', 'ada')).stdout).toMatch(/^ada +acct_\w+ +pro +░{10} \$0\.00\/20\.00/m)
  expect((await svcctl('quota', 'tail')).code).toBe(3)
})

it('ink is loaded by the live view alone', async () => {
  const site = await startSite(program, filesOf({ 'config.yaml': yamlOf(backend.url) }), 'config.yaml')
  await site.key()
  const refuse = `export const resolve = (name, context, next) => {
    if (/^(ink|react)$/.test(name)) throw new Error('loads ' + name)
    return next(name, context)
  }`
  const hook = `import { register } from 'node:module'; register(${JSON.stringify(dataUrl(refuse))})`
  const env = { ...site.env, NODE_OPTIONS: `--import=${dataUrl(hook)}` }

  const tail = program.start(['quota', 'tail'], { env })
  await tail.until('"event":"standing"')
  expect(await tail.end()).toBe(0)
  expect(await program.run(['quota', 'show'], { env })).toMatchObject({ code: 0, stderr: '' })
  expect(await program.run(['--version'], { env })).toMatchObject({ code: 0, stderr: '' })
  const view = program.main.replace('main.js', 'quota/tail/terminal.js')
  expect((await program.shell(`node -e 'import("${view}")'`, { env })).stderr).toContain('loads ink')
})

const dataUrl = (text: string): string => `data:text/javascript,${encodeURIComponent(text)}`
