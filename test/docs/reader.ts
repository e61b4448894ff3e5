import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { isMap, parseDocument } from 'yaml'
import type { Turns } from '../cli/in-turn.ts'
import { ROOT } from '../deploy/files.ts'
import { HANGS_MS } from '../lanes/hangs.ts'
import { freePort } from '../support/free-port.ts'
import { merge } from './merge.ts'
import { type Block, blocksOf, elsewhereOf } from './page.ts'
import { makeResident, type Resident } from './resident.ts'
import { Shell } from './shell.ts'

/** The ports that pages use. Tests replace them by free ones. */
type Port = 6379 | 8000 | 8001 | 8080 | 8081 | 9090 | 9091

interface Machine {
  /** The svcctl to call. */
  readonly main: string
  /** The ports here of servers that pages expect at these ports. */
  readonly ports: Partial<Readonly<Record<Port, number>>>
  /** Files and folders of the repository, copied into the folder that the reader starts in. */
  readonly files?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Addresses of the pages, and those of this machine in their place. */
  readonly words?: readonly (readonly [from: string, to: string])[]
  /** Hears what a block has written so far, such as an address that a person is to open. */
  readonly watch?: (written: string) => void
  /** Runs all calls of svcctl but `serve` in one process. Without it each is a process, as for a reader. */
  readonly turns?: Turns
}

/**
 * Follows a page of docs/ like a reader who copies each block, starting in an empty directory:
 * - commands of a block `sh` run in one shell. `exit=1` after the language means that they fail, `run=FILE` that a test of that
 *   file runs them instead;
 * - a block whose last command is `svcctl serve` starts a gateway, which runs until the reader leaves. A gateway at the same
 *   address is stopped first, as by Ctrl-C;
 * - a block `yaml` goes into the file that its first line names;
 * - each line of a block `text` is in what the commands before it wrote, in this order. A number stands for any number, and
 *   `…` for anything.
 */
export class Reader {
  readonly #shell: Shell
  readonly #ports: ReadonlyMap<string, number>
  readonly #folder: string
  /** The processes of the gateways that serve, by their addresses. */
  readonly #serving = new Map<string, string>()
  #written = ''

  readonly #resident: Resident | undefined
  readonly #words: NonNullable<Machine['words']>

  private constructor(
    folder: string,
    shell: Shell,
    ports: ReadonlyMap<string, number>,
    { resident, words = [] }: { readonly resident?: Resident | undefined } & Pick<Machine, 'words'>,
  ) {
    this.#folder = folder
    this.#shell = shell
    this.#ports = ports
    this.#resident = resident
    this.#words = words
  }

  /** The folder that it started in, which is its home. */
  get home(): string {
    return this.#folder
  }

  static async arrive({ main, ports, files = [], env = {}, turns, words, watch }: Machine): Promise<Reader> {
    const folder = mkdtempSync(join(tmpdir(), 'reader-'))
    const own = [8001, 8080, 8081, 9090, 9091] as const
    const free = await Promise.all(own.map(async port => [String(port), await freePort()] as const))
    const all = new Map([...free, ...Object.entries(ports)])
    const svcctl = `'${process.execPath}' '${main}'`
    const resident = turns && (await makeResident(folder, svcctl, ({ args, ...call }) => turns.run(args, call)))
    writeFileSync(join(folder, 'svcctl'), resident?.script ?? `#!/bin/sh\nexec ${svcctl} "$@"\n`, { mode: 0o755 })
    writeFileSync(join(folder, 'npx'), '#!/bin/sh\n[ "$1" = --no ] && shift && exec "$@"\n', { mode: 0o755 })
    for (const file of files) cpSync(join(ROOT, file), join(folder, file), { recursive: true })
    const shell = new Shell(
      folder,
      {
        PATH: `${folder}:${process.env.PATH}`,
        HOME: folder,
        LISTEN: `127.0.0.1:${all.get('8080')}`,
        ADMIN: `127.0.0.1:${all.get('9090')}`,
        NO_COLOR: '1',
        COLUMNS: '200',
        EDITOR: 'true',
        ...Object.fromEntries(
          ['AUTHOR', 'COMMITTER'].flatMap(who => [
            [`GIT_${who}_NAME`, 'Ada'],
            [`GIT_${who}_EMAIL`, 'ada@example.com'],
          ]),
        ),
        ...env,
      },
      watch,
    )
    return new Reader(folder, shell, all, { resident, ...(words && { words }) })
  }

  /** Follows the page from its first block to the last. */
  async read(page: string): Promise<void> {
    for (const block of blocksOf(page)) {
      const place = `${page}:${block.line}`
      if (elsewhereOf(block)) continue
      if (block.language === 'sh') await this.#run(block, place)
      else if (block.language === 'yaml') await this.#edit(block, place)
      else if (block.language === 'text') this.#compare(block, place)
    }
  }

  /** Runs commands of a page, or those that prepare for it. Resolves with their output. */
  async run(commands: string, place = commands): Promise<string> {
    await this.#run({ line: 0, language: 'sh', note: '', text: commands }, place)
    return this.#written.trim()
  }

  async leave(): Promise<void> {
    await this.#shell.end()
    this.#resident?.close()
  }

  async #run({ text, note }: Block, place: string): Promise<void> {
    const commands = this.#here(text)
    if (/^svcctl serve$/.test(lastOf(commands))) return this.#serve(commands)
    const [, code = '0'] = /^exit=(\d+)$/.exec(note) ?? []
    const left = await this.#shell.run(commands)
    this.#written = left.output
    expect(left.code, `${place}\n${left.output}`).toBe(Number(code))
  }

  async #serve(commands: string): Promise<void> {
    const log = join(this.#folder, 'serve.log')
    const before = commands.split('\n').slice(0, -1).join('\n')
    const { output } = await this.#shell.run(`${before}\necho $LISTEN`)
    const address = output.trim().split('\n').at(-1) ?? ''
    const former = this.#serving.get(address)
    if (former) await this.#shell.run(`kill -INT ${former}\nwait ${former}`)
    this.#serving.set(address, await this.#shell.start('exec svcctl serve', log))
    const ready = () => fetch(`http://${address}/readyz`).then(({ status }) => status)
    await expect.poll(() => ready().catch(() => readFileSync(log, 'utf8')), { timeout: HANGS_MS }).toBe(200)
  }

  async #edit({ text }: Block, place: string): Promise<void> {
    const [, name] = /^# (\S+\.yaml)\n/.exec(text) ?? []
    if (!name) throw new Error(`${place}: the first line does not name a file`)
    const { output } = await this.#shell.run('pwd')
    const path = join(output.trim(), name)
    const document = parseDocument(readFileSync(path, 'utf8'))
    const added = parseDocument(this.#here(text)).contents
    if (!isMap(added) || !isMap(document.contents)) throw new Error(`${place}: not a mapping`)
    merge(document.contents, added)
    writeFileSync(path, document.toString())
  }

  #compare({ text }: Block, place: string): void {
    let rest = wordsOf(this.#written)
    for (const line of text.split('\n')) {
      if (line.trim() === '…' || line.trim() === '') continue
      const found = new RegExp(wordsOf(this.#here(line)).trim().split('…').map(escaped).join('[^\\n]*')).exec(rest)
      expect(found, `${place}: no line has "${line}" in\n${this.#written}`).not.toBeNull()
      rest = rest.slice((found?.index ?? 0) + (found?.[0].length ?? 0))
    }
  }

  /** The text with the ports of this machine. */
  #here(text: string): string {
    const named = this.#words.reduce((all, [from, to]) => all.replaceAll(from, to), text)
    return named.replace(/(127\.0\.0\.1|localhost):(\d{4})\b/g, (whole, host, port) => {
      const own = this.#ports.get(port)
      return own ? `${host}:${own}` : whole
    })
  }
}

/** The last command, without its comment and the npx before it. */
const lastOf = (commands: string): string =>
  (commands.split('\n').at(-1) ?? '').replace(/^npx --no /, '').replace(/\s+#.*$/, '')

/** The text without what differs between runs: numbers, keys, ids, and the width of the space between words. */
const wordsOf = (text: string): string =>
  text
    .replace(/\b(svc|acct|key|req)_[A-Za-z0-9]*(…|\b)/g, '$1_')
    .replace(/\b[0-9a-f]{12}\b/g, '#')
    .replace(/\d[\d.,:TZ-]*/g, '#')
    .replace(/[ \t]+/g, ' ')

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
