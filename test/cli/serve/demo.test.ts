import { execFile, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify, stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { removeFolder } from '../../lanes/remove-folder.ts'
import { root } from '../../simulate/example.ts'
import { compileProgram, type Program, type Running } from '../program.ts'

const home = mkdtempSync(join(tmpdir(), 'svc-home-'))
const env = { XDG_CONFIG_HOME: home }
let program: Program
let demo: Running
let banner: string

const END = 'onprem-core is gone'

/** Has the default port of the demo, unless another process of this machine has it. */
const onDefault = createServer()

beforeAll(async () => {
  await Promise.race([once(onDefault.listen(8080, '127.0.0.1'), 'listening').catch(() => {}), once(onDefault, 'error')])
  program = compileProgram()
  demo = program.start(['serve', '--demo'], { env })
  banner = await demo.until(END)
}, 60_000)

afterAll(async () => {
  await program.end()
  onDefault.close()
  await removeFolder(home)
})

const shell = (command: string) => promisify(execFile)('bash', ['-c', command])
/** The commands of the banner to paste, in one shell. */
const pasted = () => `${/export KEY=\S+/.exec(banner)?.[0]}\n${/ {2}curl (?:.*\\\n)+.*/.exec(banner)?.[0]}`
const asked = (body: object, flags = '-s') =>
  shell(
    pasted()
      .replace('curl -i', `curl ${flags}`)
      .replace(/-d '.*'/, `-d '${JSON.stringify(body)}'`),
  )
const user = (content: string) => ({ messages: [{ role: 'user', content }] })
const withTool = (name: string, content: string) => ({ ...user(content), tools: [{ type: 'hosted', name }] })
const killed = () => (/kill (\d+) (\d+)/.exec(banner)?.slice(1) ?? []).map(Number)
interface Profile {
  readonly pid: number
  readonly state: string
}
const profile = (): Profile => {
  const [name = ''] = readdirSync(join(home, 'svcctl/demos'))
  return JSON.parse(readFileSync(join(home, 'svcctl/demos', name), 'utf8'))
}
/** The processes of the demo, by their arguments. */
const processes = (pid: number) =>
  execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(pid)], { encoding: 'utf8' })
    .split('\n')
    .flatMap(line => {
      const [, id, args = ''] = /^ *(\d+) (.*)$/.exec(line) ?? []
      return id === undefined ? [] : [{ pid: Number(id), args }]
    })

it('a default port that is taken is named, with how to choose one, and another one is used', () => {
  expect(stripVTControlCharacters(banner)).toMatch(
    /^ {2}API {6}http:\/\/localhost:(?!8080)\d+\/v1 {3}8080 is taken \(npm start -- --port N\)$/m,
  )
})

it('what it prints fits 80 columns and 20 rows, and names key, explain, plan and quota tail', () => {
  const lines = banner.slice(banner.indexOf('svcctl')).trimEnd().split('\n')

  expect(lines.length).toBeLessThanOrEqual(20)
  expect(lines.filter(line => line.length > 80)).toEqual([])
  expect(banner.match(/export KEY=svc_\w{42}$/gm)).toHaveLength(1)
  for (const word of ['explain', 'plan', 'quota tail']) expect(banner).toContain(`npx --no svcctl ${word}`)
})

it('the pasted curl answers', async () => {
  const { stdout } = await shell(pasted())

  expect(stdout).toMatch(/^HTTP\/1.1 200 OK/)
  expect(stdout).toContain('x-svc-upstream: onprem-core')
  expect(stdout).toContain('85')
})

it('a stream answers, to its end', async () => {
  const { stdout } = await asked({ ...user('Count to 20'), stream: true }, '-sN')

  expect(stdout).toMatch(/data: \{.*"20"|20/)
  expect(stdout.trim().endsWith('data: [DONE]')).toBe(true)
})

it.each([
  ['quota show', /demo/],
  ['keys list', /demo/],
  ['audit', /mint/],
  ['show', /public_url: http:\/\/localhost:\d+/],
  ['plan', /no change/],
])('svcctl %s works in its folder without any variable', async (command, said) => {
  const { code, stdout } = await program.run(command.split(' '), { env })

  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(said) })
})

it('a configuration that is named there is not taken for that of the demo', async () => {
  const { code, stderr } = await program.run(['quota', 'show', '-c', 'test/cli/golden/config.yaml'], { env })

  expect(code).not.toBe(0)
  expect(stderr).not.toBe('')
})

it('a request with a tool is answered with what the tool said, and its line names the tool', async () => {
  const { stdout } = await asked(withTool('convert_units', 'Convert 5 miles to km'))

  expect(JSON.parse(stdout).choices[0].message.content).toContain('The tool convert_units said: "5 mi = 8.04672 km".')
  await demo.until(/svc-auto → svc-core {2}convert_units {2}onprem-core/)
})

it('the tool of the MCP server searches the documents of this package', async () => {
  const { stdout } = await asked(withTool('docs_search', 'Search the docs: how does failover work?'))

  expect(JSON.parse(stdout).choices[0].message.content).toMatch(/The tool docs_search said: "1\. .+ \(\S+\.md\)\n/)
})

it('every request is a line, with who answered and what it cost', async () => {
  await shell(pasted())

  expect(await demo.until(/200 {2}svc-auto → svc-core {2}onprem-core {2}\d+ ms {2}\d+\+\d+ tok {2}\$0\.0/)).toBeTruthy()
})

it('with its backends killed the next request is answered by the next pool, and its line says so', async () => {
  for (const pid of killed()) process.kill(pid)
  await demo.until('backend onprem-core-1 has ended')
  await demo.until('backend onprem-core-2 has ended')

  const { stdout } = await shell(pasted())

  expect(stdout).toContain('x-svc-upstream: cloud-core')
  await demo.until(/onprem-core ✗ ECONNREFUSED → onprem-core ✗ ECONNREFUSED → cloud-core/)
})

it('killed tools are told, and requests with them are answered without their result', async () => {
  for (const { pid, args } of processes(profile().pid)) if (args.includes('tools-main')) process.kill(pid)
  await demo.until('the tool server has ended')

  const { stdout } = await asked(withTool('convert_units', 'Convert 5 miles to km'))

  expect(JSON.parse(stdout).choices[0].message.content).not.toContain('8.04672')
})

it('one that was killed leaves no process, and its folder to the next one, which ends with 0 and leaves nothing', async () => {
  const { pid, state } = profile()
  const children = processes(pid)
  expect(children.length).toBeGreaterThan(3)
  await demo.end('SIGKILL')
  expect(existsSync(state)).toBe(true)
  expect((await program.run(['quota', 'show'], { env })).stderr).toContain('there is no file `config.yaml`')

  const next = program.start(['serve', '--demo'], { env })
  await next.until(END)

  expect(existsSync(state)).toBe(false)
  expect((await program.run(['quota', 'show'], { env })).code).toBe(0)
  const ended = [...children, ...processes(profile().pid)]
  const { state: own } = profile()
  expect(await next.end()).toBe(0)
  // The system may take a moment to end what was killed.
  await vi.waitFor(() => {
    for (const child of ended) expect(() => process.kill(child.pid, 0)).toThrow(/ESRCH/)
  }, 60_000)
  expect(existsSync(own)).toBe(false)
  expect(readdirSync(join(home, 'svcctl/demos'))).toEqual([])
})

describe('what a demo cannot do is told in a sentence', () => {
  const listener = async (): Promise<{ server: Server; port: number }> => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    return { server, port: typeof address === 'object' ? (address?.port ?? 0) : 0 }
  }

  it('a port that was asked for and is taken', async () => {
    const { server, port } = await listener()
    const { code, stderr } = await program.run(['serve', '--demo', '--port', String(port)], { env })
    server.close()

    expect(code).toBe(1)
    expect(stripVTControlCharacters(stderr)).toMatch(
      new RegExp(`^✗ port ${port} is taken by another process.*--port\\n$`),
    )
  })

  describe('an install without the package of the demo', () => {
    const install = mkdtempSync(join(tmpdir(), 'svc-install-'))
    const main = join(install, 'dist/cli/main.js')
    afterAll(() => removeFolder(install))
    beforeAll(() => {
      cpSync(dirname(dirname(program.main)), join(install, 'dist'), {
        recursive: true,
        filter: path => !path.endsWith('node_modules'),
      })
      for (const name of ['package.json', 'schema', 'redis', 'policies', 'openapi.yaml'])
        cpSync(join(root, name), join(install, name), { recursive: true })
      mkdirSync(join(install, 'node_modules'))
      for (const name of readdirSync(join(root, 'node_modules')).filter(name => name !== 'svc-gateway-demo'))
        symlinkSync(join(root, 'node_modules', name), join(install, 'node_modules', name))
    })

    it('says which packages to install from files, and fetches nothing by a name', async () => {
      const asked: string[] = []
      const registry = createHttpServer((request, response) => {
        asked.push(request.url ?? '')
        response.writeHead(404).end()
      }).listen(0, '127.0.0.1')
      await once(registry, 'listening')
      const { port } = registry.address() as AddressInfo
      const { code, stderr } = await promisify(execFile)(process.execPath, [main, 'serve', '--demo'], {
        env: { ...process.env, NO_COLOR: '1', npm_config_registry: `http://127.0.0.1:${port}/` },
      }).then(
        () => expect.fail('it served'),
        error => error,
      )
      registry.close()

      expect(code).toBe(1)
      expect(stderr).toMatch(
        /npm install \.\/svc-gateway-\S+\.tgz \.\/svc-gateway-demo-\S+\.tgz\n +npx --no svcctl serve --demo\n/,
      )
      expect(asked).toEqual([])
    })
  })

  it('a temporary folder that cannot be written', async () => {
    const { code, stderr } = await program.run(['serve', '--demo'], { env: { ...env, TMPDIR: join(root, 'no/such') } })

    expect(code).toBe(1)
    expect(stderr).toMatch(/^✗ the demo keeps its store .*no\/such \(ENOENT\): set TMPDIR .*\n$/)
  })

  it('a listener of a gateway that is taken, by its field', async () => {
    const { server, port } = await listener()
    const { code, stderr } = await program.run(['serve', '-c', 'config.example.yaml'], {
      env: {
        ...env,
        CLOUD_KEY: 'k',
        LISTEN: `127.0.0.1:${port}`,
        ADMIN: '127.0.0.1:0',
        STATE_DIR: home,
        STORE: `embedded:${home}/s`,
      },
    })
    server.close()

    expect(code).toBe(1)
    expect(stderr).toContain(
      `✗ server.listen 127.0.0.1:${port}: another process listens on it; stop that process, or choose another port\n`,
    )
  })

  const startOn = (listen: string, more: NodeJS.ProcessEnv = {}) =>
    program.run(['serve', '-c', 'config.example.yaml'], {
      env: {
        ...env,
        CLOUD_KEY: 'k',
        LISTEN: listen,
        ADMIN: '127.0.0.1:0',
        STATE_DIR: home,
        STORE: `embedded:${home}/s`,
        ...more,
      },
    })
  it('a listener on an address that this machine does not have', async () => {
    const { code, stderr } = await startOn('192.0.2.1:8080')

    expect(code).toBe(1)
    expect(stderr).toContain('✗ server.listen 192.0.2.1:8080: no interface of this machine has this address\n')
    expect(stderr).not.toMatch(/^ +at /m)
  })

  it('a listener on a port that needs a privilege', async () => {
    // Who runs the tests may have the privilege: the error is that which the system gives to others.
    const preload = `import { Server } from 'node:net'
      const { listen } = Server.prototype
      Server.prototype.listen = function (...given) {
        const port = typeof given[0] === 'object' ? given[0].port : given[0]
        if (Number(port) !== 81) return listen.apply(this, given)
        const error = Object.assign(new Error('listen EACCES'), { code: 'EACCES', syscall: 'listen', port: 81 })
        process.nextTick(() => this.emit('error', error))
        return this
      }`
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(preload)}`
    const { code, stderr } = await startOn('127.0.0.1:81', { NODE_OPTIONS })

    expect(code).toBe(1)
    expect(stderr).toContain(
      '✗ server.listen 127.0.0.1:81: this user may not listen on it; ports below 1024 often need a privilege\n',
    )
    expect(stderr).not.toMatch(/^ +at /m)
  })
})
