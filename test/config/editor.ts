import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'

/** An editor with yaml-language-server. */
export interface Editor {
  /** Opens a text as a file. A `|` in it is the cursor, and not a part of the text. */
  open(url: URL, written: string): Promise<OpenFile>
  close(): Promise<void>
}

export interface OpenFile {
  readonly diagnostics: readonly { readonly line: number; readonly message: string }[]
  /** Completions at the cursor, with their documentation. */
  completions(): Promise<ReadonlyMap<string, string>>
  /** The documentation of the word at the cursor. */
  hover(): Promise<string>
}

export async function startEditor(): Promise<Editor> {
  const server = await startServer()
  let opened = 0
  return {
    open: async ({ href }, written) => {
      // A name of its own, so that nothing that is heard is about an earlier text.
      const uri = href.replace(/(?=\.yaml$)/, `.${++opened}`)
      const cursor = written.indexOf('|')
      const text = cursor < 0 ? written : written.slice(0, cursor) + written.slice(cursor + 1)
      const above = written.slice(0, Math.max(0, cursor)).split('\n')
      const at = { textDocument: { uri }, position: { line: above.length - 1, character: above.at(-1)?.length ?? 0 } }
      const published = server.hearOf(uri)
      server.tell('textDocument/didOpen', { textDocument: { uri, languageId: 'yaml', version: 1, text } })
      const { diagnostics } = await published
      return {
        diagnostics: diagnostics.map(({ range, message }) => ({ line: range.start.line + 1, message })),
        completions: async () => {
          const { items } = (await server.ask('textDocument/completion', at)) as Completions
          return new Map(items.map(({ label, documentation }) => [label, String(documentation)]))
        },
        hover: async () => ((await server.ask('textDocument/hover', at)) as Hover).contents.value,
      }
    },
    close: () => server.close(),
  }
}

interface Completions {
  readonly items: readonly { readonly label: string; readonly documentation?: unknown }[]
}
interface Hover {
  readonly contents: { readonly value: string }
}
interface Diagnostics {
  readonly uri: string
  readonly diagnostics: readonly { readonly range: { readonly start: { line: number } }; readonly message: string }[]
}

/** A message of the protocol, JSON-RPC 2.0. */
interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: unknown
  readonly result?: unknown
}

const require = createRequire(import.meta.url)
const SERVER = require.resolve('yaml-language-server/bin/yaml-language-server')
/** Nothing is fetched from the network. */
const SETTINGS = { schemaStore: { enable: false }, completion: true, hover: true, validate: true }

async function startServer() {
  const child = spawn(process.execPath, [SERVER, '--stdio'], { stdio: ['pipe', 'pipe', 'inherit'] })
  const send = (message: Message) => {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message })
    child.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
  }
  const waiting = new Map<number | string, (message: Message) => void>()
  const next = (key: number | string) => new Promise<Message>(resolve => waiting.set(key, resolve))
  onMessage(child.stdout, message => {
    const { id, method } = message
    if (method !== undefined && id !== undefined) send({ id, result: answerOf(message) })
    else waiting.get(id ?? uriOf(message))?.(message)
  })

  let last = 0
  const tell = (method: string, params: unknown) => send({ method, params })
  const ask = async (method: string, params: unknown) => {
    const id = ++last
    const answer = next(id)
    send({ id, method, params })
    return (await answer).result
  }
  const hearOf = async (uri: string) => (await next(uri)).params as Diagnostics
  await ask('initialize', {
    processId: process.pid,
    rootUri: null,
    capabilities: { workspace: { configuration: true }, textDocument: { hover: {}, completion: {} } },
  })
  tell('initialized', {})
  const close = async () => {
    child.kill()
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
  return { ask, tell, hearOf, close }
}

/** The file whose diagnostics a message brings; empty for other messages. */
const uriOf = ({ method, params }: Message): string =>
  method === 'textDocument/publishDiagnostics' ? (params as Diagnostics).uri : ''

/** The server asks for its settings, section by section; nothing else it asks needs an answer. */
function answerOf({ method, params }: Message): unknown {
  if (method !== 'workspace/configuration') return null
  const { items } = params as { readonly items: readonly { readonly section?: string }[] }
  return items.map(({ section }) => (section === 'yaml' ? SETTINGS : null))
}

/** Cuts a stream into messages: a header with the length, an empty line, JSON. */
function onMessage(stream: NodeJS.ReadableStream, listener: (message: Message) => void): void {
  let rest = Buffer.alloc(0)
  stream.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    for (;;) {
      const start = rest.indexOf('\r\n\r\n') + 4
      const end = start + Number(/Content-Length: (\d+)/i.exec(rest.toString('latin1', 0, start))?.[1])
      if (start < 4 || !(end <= rest.length)) return
      listener(JSON.parse(rest.toString('utf8', start, end)))
      rest = rest.subarray(end)
    }
  })
}
