import { kindOf } from 'svc-gateway-import'
import { parse } from '../../wire/json-bytes.ts'
import { isObject } from '../../wire/json-safety.ts'
import { openai } from '../../wire/openai/dialect.ts'
import { isCount } from '../../wire/usage/usage.ts'

/** The default address of a model server. */
export interface EngineAddress {
  readonly engine: string
  /** The path up to /v1. */
  readonly url: string
  /** The `owned_by` of its models, where other servers like the same port. */
  readonly ownedBy?: string
}

/** A server that answered, and a chat model that it has. */
export interface LocalEngine {
  readonly engine: string
  readonly url: string
  readonly model: string
  /** Tokens of prompt and answer, where its list says so. */
  readonly context?: number
  /** Its other chat models. */
  readonly others: readonly string[]
}

/** The usual addresses, the engine that serves most users first. */
export const USUAL_ENGINES: readonly EngineAddress[] = [
  { engine: 'vLLM', url: 'http://127.0.0.1:8000/v1' },
  { engine: 'Ollama', url: 'http://127.0.0.1:11434/v1' },
  // Half of all web servers like this port, this gateway among them.
  { engine: 'llama.cpp', url: 'http://127.0.0.1:8080/v1', ownedBy: 'llamacpp' },
]

/** How long all of them have to answer together: they are asked at once. */
const PATIENCE_MS = 1500
/** A list of models is a few kB. */
const MOST_BYTES = 1_000_000

/** The servers that answer with a chat model, in the order of their addresses. Never rejects, and waits no longer than its patience. */
export async function findEngines(
  addresses: readonly EngineAddress[] = USUAL_ENGINES,
  patienceMs = PATIENCE_MS,
): Promise<readonly LocalEngine[]> {
  const signal = AbortSignal.timeout(patienceMs)
  const asked = await Promise.all(addresses.map(each => askEngine(each, signal).catch(() => undefined)))
  return asked.filter(each => each !== undefined)
}

async function askEngine(address: EngineAddress, signal: AbortSignal): Promise<LocalEngine | undefined> {
  const response = await fetch(`${address.url}/models`, { signal, redirect: 'error' })
  const body = response.ok ? await bodyOf(response) : undefined
  return body && engineIn(address, body)
}

/** Undefined for a body that is no list of models, by its size. */
async function bodyOf({ body }: Response): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.byteLength
    if (size > MOST_BYTES) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function engineIn({ engine, url, ownedBy }: EngineAddress, body: Buffer): LocalEngine | undefined {
  if (ownedBy !== undefined && !ownersIn(body).includes(ownedBy)) return undefined
  const chats = (openai.models(body) ?? []).filter(({ id }) => isName(id) && kindOf(id) === 'chat')
  const [first, ...others] = chats
  if (!first) return undefined
  const context = first.context ?? runningContextOf(body, first.id)
  return { engine, url, model: first.id, ...(context && { context }), others: others.map(({ id }) => id) }
}

/** Whether an id can be a pool's model. */
const isName = (id: string): boolean => /^[!-~]{1,256}$/.test(id)

const entriesOf = (body: Buffer) => {
  const list = parse(body.toString('utf8'))
  return isObject(list) && Array.isArray(list.data) ? list.data.filter(isObject) : []
}

const ownersIn = (body: Buffer): readonly unknown[] => entriesOf(body).map(entry => entry.owned_by)

/** llama.cpp says with how much context it runs in `meta.n_ctx`; `n_ctx_train` is what the model could take. */
function runningContextOf(body: Buffer, id: string): number | undefined {
  const meta = entriesOf(body).find(entry => entry.id === id)?.meta
  const context = isObject(meta) ? meta.n_ctx : undefined
  return isCount(context) ? context : undefined
}
