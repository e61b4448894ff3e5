import { execFileSync } from 'node:child_process'
import { cpSync, lstatSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import type { Running } from '../cli/program.ts'
import { ROOT } from '../deploy/files.ts'
import { blocksOf } from '../docs/page.ts'
import { HANGS_MS } from '../lanes/hangs.ts'
import { removeFolder } from '../lanes/remove-folder.ts'
import { type Backend, startBackend } from '../support/backend.ts'
import { freePort } from '../support/free-port.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { type Machine, type MachineOptions, newMachine } from './machine.ts'

/** The disk space of an install without the demo. */
const MOST_BYTES = 60e6
/** In the folder of a machine. */
const PACKAGE = './svc-gateway.tgz'
const DEMO = './svc-gateway-demo.tgz'

interface Bill {
  readonly bomFormat: string
  readonly metadata: { readonly component: Material }
  readonly components: readonly Material[]
}

interface Material {
  readonly name: string
  readonly version: string
  readonly components?: readonly Material[]
}

const packs = mkdtempSync(join(tmpdir(), 'svc-packs-'))
let gateway: string
let backend: Backend
let demoTarball: string

beforeAll(async () => {
  for (const which of [[], ['--workspace', 'demo']])
    execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', packs, ...which], { cwd: ROOT })
  demoTarball = join(packs, readdirSync(packs).find(name => name.includes('demo')) ?? '')
  gateway = join(packs, readdirSync(packs).find(name => !name.includes('demo')) ?? '')
  backend = await startBackend()
})

afterAll(async () => {
  await backend.close()
  await removeFolder(packs)
})

function machine(options: MachineOptions): Machine {
  const made = newMachine(options)
  onTestFinished(() => made.remove())
  // npx takes an absolute path for a program.
  if (options.node) cpSync(gateway, join(made.folder, PACKAGE))
  return made
}

/** The files in a folder, in bytes. */
const sizeOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map(name => lstatSync(join(folder, name)))
    .reduce((sum, stat) => sum + (stat.isFile() ? stat.size : 0), 0)

/** `init`, `serve`, `keys mint`, and a chat, with svcctl as it is started here. */
async function firstAnswer(on: Machine, command: string, args: readonly string[]): Promise<string> {
  on.run(command, [...args, 'init'])
  const [listen, admin] = [await freePort(), await freePort()]
  const env = { LISTEN: `127.0.0.1:${listen}`, ADMIN: `127.0.0.1:${admin}` }
  const pools = join(on.folder, 'policies/pools.yaml')
  writeFileSync(pools, readFileSync(pools, 'utf8').replace('http://127.0.0.1:8000', `http://127.0.0.1:${backend.port}`))
  const serving = on.start(command, [...args, 'serve'], env)
  try {
    await serving.until(`127.0.0.1:${listen}`)
    const minted = on.run(command, [...args, 'keys', 'mint', '--plan', 'pro', '--account', 'ada@example.com'], env)
    const answered = await fetch(`http://127.0.0.1:${listen}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${/svc_\S+/.exec(minted)?.[0]}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'svc-core', messages: [{ role: 'user', content: 'Hi' }] }),
    })
    return `${answered.status} ${await answered.text()}`
  } finally {
    await serving.end()
  }
}

/** The demo's output, and the answer to the command that users paste. Ends the demo. */
async function pasted(on: Machine, demo: Running): Promise<{ readonly answered: string }> {
  const banner = await demo.until(/curl[\s\S]*onprem-core is gone/)
  const commands = `${/export KEY=\S+/.exec(banner)?.[0]}\n${/ {2}curl (?:.*\\\n)+.*/.exec(banner)?.[0]}`
  const answered = on.run('/bin/bash', ['-c', commands])
  await demo.end()
  return { answered }
}

describe('a user with Node, an empty home and an empty folder', () => {
  describe('by npx and the packed package', () => {
    let on: Machine
    beforeAll(() => {
      on = newMachine({ node: true })
      cpSync(gateway, join(on.folder, PACKAGE))
    })
    afterAll(() => on.remove())

    it('has the first answer of an own configuration', async () => {
      const answer = await firstAnswer(on, 'npx', ['--yes', PACKAGE])

      expect(answer).toMatch(/^200 .*"content":"Hello/)
    })

    it('imports the configuration of another gateway', () => {
      const model = 'model_list: [{ model_name: m, litellm_params: { model: openai/gpt-4o, api_key: os.environ/KEY } }]'
      writeFileSync(join(on.folder, 'litellm.yaml'), model)
      const written = on.run('npx', ['--yes', PACKAGE, 'import', 'litellm', 'litellm.yaml'])

      expect(parse(written).models.m).toMatchObject({ usd_per_1m: { input: 2.5, output: 10 }, serve: ['m'] })
    })
  })

  it('has the first answer of the demo, by npm install of both packages', async () => {
    const on = machine({ node: true })
    cpSync(demoTarball, join(on.folder, DEMO))
    on.run('npm', ['install', '--no-audit', '--no-fund', PACKAGE, DEMO])
    const demo = on.start('npx', ['--no', 'svcctl', 'serve', '--demo', '--port', String(await freePort())])
    const { answered } = await pasted(on, demo)

    expect(answered).toMatch(/^HTTP\/1.1 200 /)
  })
})

describe('an ordinary user with Node and a folder of their own for programs', () => {
  it('has the first answer of an own configuration, by npm install --global, in 60 MB', async () => {
    const on = machine({ node: true, ordinary: true })
    const prefix = join(on.folder, '../programs')
    on.run('npm', ['install', '--global', '--prefix', prefix, '--no-audit', '--no-fund', PACKAGE])
    const answer = await firstAnswer(on, join(prefix, 'bin/svcctl'), [])

    expect(answer).toMatch(/^200 .*"content":"Hello/)
    expect(sizeOf(prefix)).toBeLessThanOrEqual(MOST_BYTES)
  })
})

describe('a user of a fresh Debian with git', () => {
  let on: Machine
  const install = (blocksOf('docs/tutorial.md').find(({ text }) => text.includes('npm install --global'))?.text ?? '')
    .split('\n')
    .map(line => line.replace(/ +#.*/, ''))
  const [first, clone, enter, ci, ...rest] = install
  const run = (lines: readonly string[]) =>
    on.run('/bin/bash', ['-e', '-c', lines.join('\n')], { REPOSITORY: pathToFileURL(ROOT).href })

  beforeAll(() => {
    on = newMachine({ node: true })
    run([clone ?? '', enter ?? '', ci ?? ''])
  }, 10 * HANGS_MS)
  afterAll(() => on.remove())

  it('has the first answer, by npm start in a clone after npm ci', async () => {
    const shown = ['README.md', 'docs/getting-started.md'].map(page =>
      blocksOf(page)
        .find(({ text }) => text.startsWith('git clone'))
        ?.text.replace(/ +#.*$/gm, ''),
    )
    const start = on.start('npm', ['start', '--prefix', 'svc-gateway', '--', '--port', String(await freePort())])
    const { answered } = await pasted(on, start)

    // The commands of the tutorial too, up to the start.
    expect(shown).toEqual(shown.map(() => `${clone} && ${enter}\n${ci} && npm start`))
    expect(answered).toMatch(/^HTTP\/1.1 200 /)
  })

  it('installs svcctl, by the commands of docs/tutorial.md, without root', () => {
    const said = run([enter ?? '', ...rest, 'command -v svcctl', 'svcctl version'])

    expect(first).toMatch(/^sudo apt-get /)
    expect(ci).toBe('npm ci')
    expect(install.slice(1).join('\n')).not.toContain('sudo')
    expect(said).toMatch(/\/\.local\/bin\/svcctl\nsvcctl [\d.]+, node /)
  })
})

describe('what `npm run release` writes', () => {
  const build = join(ROOT, 'build')
  const executable = `svcctl-${process.platform}-${process.arch}`

  beforeAll(() => {
    execFileSync('npm', ['run', 'release'], { cwd: ROOT, stdio: 'ignore' })
  }, 10 * HANGS_MS)

  it('is both packages, the executable, a bill of materials of each, and sums by which all of them are found whole', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    const shipped = [`svc-gateway-${version}.tgz`, `svc-gateway-demo-${version}.tgz`, executable]
    const files = shipped.flatMap(name => [name, `${name}.cdx.json`])
    const checked = (folder: string, sums: string) =>
      execFileSync('sha256sum', ['--check', '--strict', sums], { cwd: folder, encoding: 'utf8' })
    const whole = (names: readonly string[]) => names.map(name => `${name}: OK`).sort()

    expect(readdirSync(build).sort()).toEqual([...files, `${executable}.sha256`, 'SHA256SUMS'].sort())
    expect(checked(build, 'SHA256SUMS').trim().split('\n').sort()).toEqual(whole(files))
    expect(checked(build, `${executable}.sha256`).trim().split('\n')).toEqual(whole([executable]))

    // The workflow makes the sums anew, once it has the executables of other machines too.
    const merged = temporaryFolder('svc-release')
    cpSync(build, join(merged, 'build'), { recursive: true })
    writeFileSync(join(merged, 'build/svcctl-linux-riscv64'), 'of another machine')
    const { jobs } = parse(readFileSync(join(ROOT, '.github/workflows/release.yml'), 'utf8'))
    const line = jobs.publish.steps.find(({ run }: { run?: string }) => run?.includes('sha256sum')).run
    execFileSync('bash', ['-e', '-c', line], { cwd: merged })
    expect(checked(join(merged, 'build'), 'SHA256SUMS').trim().split('\n').sort()).toEqual(
      whole([...files, 'svcctl-linux-riscv64']),
    )
  })

  it('has an executable by which a user without Node, or any other program, has the first answer', async () => {
    const binary = join(build, executable)
    const on = machine({ node: false })
    const answer = await firstAnswer(on, binary, [])

    expect(answer).toMatch(/^200 .*"content":"Hello/)
    const { metadata, components }: Bill = JSON.parse(readFileSync(`${binary}.cdx.json`, 'utf8'))
    const node = components.find(({ name }) => name === 'node')
    expect(metadata.component.name).toBe(basename(binary))
    expect(components.map(({ name }) => name)).toContain('undici')
    expect(node?.version).toBe(process.versions.node)
    expect(node?.components?.find(({ name }) => name === 'openssl')?.version).toBe(process.versions.openssl)
  })
})

it('the bill of materials of a package has what an install brings, and what the build has put into it', () => {
  const bill = execFileSync(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import { materialsOf } from ${JSON.stringify(join(ROOT, 'scripts/materials.js'))}
      console.log(JSON.stringify(materialsOf(${JSON.stringify(ROOT)}, ${JSON.stringify(gateway)})))`,
    ],
    { encoding: 'utf8', maxBuffer: 100e6 },
  )
  const { bomFormat, components }: Bill = JSON.parse(bill)
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const listed = components.map(({ name, version }) => `${name}@${version}`)

  expect(bomFormat).toBe('CycloneDX')
  expect(listed).toEqual(
    expect.arrayContaining(Object.entries(dependencies).map(([name, version]) => `${name}@${version}`)),
  )
  expect(listed).toEqual(expect.arrayContaining(['ink', 'preact'].map(name => `${name}@${devDependencies[name]}`)))
  expect(components.map(({ name }) => name)).not.toContain('vitest')
})
