import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { listed } from '../../config/diff/values.ts'
import { FORMATS } from '../../config/model/formats.ts'
import { configSchema } from '../../config/model/schema.ts'
import { CommandFailed, exitCodes } from '../../server/failure.ts'
import { writeOut } from '../kit/terminal.ts'
import { type Backend, IGNORE_FILE, initFiles, type SchemaName } from './files.ts'
import type { InitOptions } from './init.ts'
import { findEngines, type LocalEngine, USUAL_ENGINES } from './local-engines.ts'
import { readPinnedPackage } from './pinned-package.ts'

/** Writes the files of a new configuration, or none where one of them is there. Rejects with CommandFailed then. */
export async function init(directory: string, options: InitOptions, find = findEngines): Promise<void> {
  checkOptions(options)
  const pinned = options.repo ? readPinnedPackage(options.package) : undefined
  const schemas = { config: schemaOf('config'), policy: schemaOf('policy'), tests: schemaOf('tests') }
  const filesFor = (backend: Backend) => initFiles(options.brand, backend, schemas, pinned)
  // Which files there are does not depend on the backend: nobody waits for one before hearing that they exist.
  const names = Object.keys(filesFor(backendOf(options, undefined)))
  const kept = KEPT.filter(file => names.includes(file) && existsSync(join(directory, file)))
  const written = names.filter(file => !kept.includes(file))
  const there = written.map(file => join(directory, file)).filter(path => existsSync(path))
  if (there.length > 0) {
    throw new CommandFailed(`✗ ${listed(there)} ${there.length > 1 ? 'are' : 'is'} there already: nothing was written`)
  }
  const engines = options.probe && options.backend === undefined ? await find() : []
  const backend = backendOf(options, engines[0])
  const files = Object.entries(filesFor(backend)).filter(([file]) => written.includes(file))
  for (const [file, content] of files) {
    const path = join(directory, file)
    write(path, content)
    await writeOut([`${path}\n`])
  }
  if (kept.includes(IGNORE_FILE))
    process.stderr.write(
      `\n▲ ${join(directory, IGNORE_FILE)} exists: add /data/ to it, which has keys and the admin token\n`,
    )
  if (options.backend === undefined) process.stderr.write(`\n${backendText(engines, backend, options)}\n`)
  process.stderr.write(
    `\nNext steps${resolve(directory) === process.cwd() ? '' : `, in ${directory}`}; start svcctl as you did just now:\n${options.repo ? NEXT_OF_REPOSITORY : NEXT}`,
  )
}

/** The backend asked for, else the one found, else vLLM's default. */
const backendOf = ({ backend, model }: InitOptions, engine: LocalEngine | undefined): Backend => ({
  url: backend ?? engine?.url ?? USUAL_BACKEND.url,
  model: model ?? engine?.model ?? USUAL_BACKEND.model,
  ...(engine?.context !== undefined && model === undefined && { context: engine.context }),
})

const USUAL_BACKEND = { url: 'http://127.0.0.1:8000/v1', model: 'Qwen/Qwen3-8B' }

/** Which backend the files name and why, for a user who named none. */
function backendText(engines: readonly LocalEngine[], { url, model }: Backend, { probe }: InitOptions): string {
  const [engine, ...more] = engines
  const file = 'policies/pools.yaml'
  if (!engine) {
    const tried = USUAL_ENGINES.map(each => `${each.engine} (${new URL(each.url).host})`)
    const why = probe ? `No model server answers on this machine: tried ${listed(tried)}.\n  ` : ''
    return `▲ ${why}Edit ${file} before you serve: it names ${url} and the model ${model}.`
  }
  const others = engine.others.filter(each => each !== model)
  return [
    `✓ Found ${engine.engine} at ${url}: ${file} sends requests there, for the model ${model}.`,
    ...(others.length > 0 ? [`  It also has ${listed(others.slice(0, 5))}${others.length > 5 ? ', …' : ''}.`] : []),
    ...more.map(each => `  ${each.engine} answers at ${each.url} too, with ${each.model}: add a pool to use it.`),
  ].join('\n')
}

/** A folder may have them already; they stay as they are. */
const KEPT = [IGNORE_FILE, 'README.md']

const NEXT = `  svcctl validate                                        checks the files
  svcctl serve                                           runs the gateway
  svcctl keys mint --plan pro --account you@example.com  makes a key, in another shell
`

const NEXT_OF_REPOSITORY = `  svcctl validate                                        checks the files
  svcctl test                                            runs their tests
  git init -b main && git add -A && git commit           the first revision; then push it
`

function write(path: string, content: string | Uint8Array): void {
  try {
    mkdirSync(dirname(path), { recursive: true })
    // Never over a file that came in the meantime.
    writeFileSync(path, content, { flag: 'wx' })
  } catch (error) {
    throw new CommandFailed(`✗ ${path} cannot be written: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function checkOptions({ brand, backend, model, repo, package: given }: InitOptions): void {
  if (given !== undefined && !repo)
    throw new CommandFailed('✗ --package goes with --repo, whose workflows run it: add --repo', exitCodes.usage)
  const { pattern, 'x-expects': expects } = configSchema.properties.brand
  if (!new RegExp(pattern).test(brand)) throw wrong('--brand', brand, `write ${expects}`)
  const url = FORMATS['x-base-url']
  if (backend !== undefined && url?.read(backend) === undefined) throw wrong('--backend', backend, url?.hint ?? '')
  if (model !== undefined && !/^[!-~]+$/.test(model)) throw wrong('--model', model, 'write a name without blanks')
}

const wrong = (option: string, value: string, hint: string): CommandFailed =>
  new CommandFailed(`✗ ${option} \`${value}\`: ${hint}`, exitCodes.usage)

/** src/cli and dist/cli lie equally deep in the package. */
const schemaOf = (name: SchemaName): string =>
  readFileSync(new URL(`../../../schema/${name}.schema.json`, import.meta.url), 'utf8')
