import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { HANGS_MS } from '../../lanes/hangs.ts'
import { childEnv } from '../../support/child-env.ts'
import { eventually } from '../../support/eventually.ts'
import { freePort } from '../../support/free-port.ts'
import { CHAT_SIZE, EMBEDDING_SIZE, SLOW_SIZE, type TinySize, writeTinyModel } from '../model/tiny-model.ts'
import { writeTinyVllmModel } from '../model/tiny-vllm.ts'

/** A server that runs models, or stands before those that do, as its project releases it. */
export interface Engine {
  /** The configured replica URL, with /v1. */
  readonly url: string
  /** Ends it at once, as a machine that fails. */
  kill(): Promise<void>
}

/** An Engine that counts prompt tokens since it started: those that it looked up in its cache, and those found there. */
export interface Vllm extends Engine {
  prefixes(): Promise<readonly [asked: number, found: number]>
  /** Requests that wait for a place in its batch. */
  waiting(): Promise<number>
}

/** An Engine that counts what it does. */
export interface Llama extends Engine {
  /** Tokens that it has made since it started. */
  made(): Promise<number>
  /** Requests that it works on. */
  busy(): Promise<number>
}

const folder = new URL('..', import.meta.url)
const inFolder = (path: string): string => new URL(path, folder).pathname

/** Where packages are pinned and installed. */
interface Place {
  readonly requirements: string
  readonly venv: string
  readonly install: string
}

const USUAL: Place = { requirements: 'requirements.txt', venv: '.venv', install: 'run `sh test/engines/install.sh`' }
export const VLLM: Place = {
  ...{ requirements: 'requirements-vllm.txt', venv: '.venv-vllm' },
  install: 'run `sh test/engines/install-vllm.sh`',
}

/** Tests with a package of PyPI, named by its pinned version; skipped and counted where that version is not installed. */
export function engineSuite(name: string, scenarios: () => void, { requirements, venv, install } = USUAL): void {
  const pin = new RegExp(`^${name}==.+$`, 'm').exec(readFileSync(inFolder(requirements), 'utf8'))?.[0]
  if (pin === undefined) throw new Error(`${name} has no pin`)
  const title = pin.replace('==', ' ')
  describe(title, () => {
    if (isInstalled(pin, venv)) return scenarios()
    // Counted, so that a silence is not taken for success.
    console.warn(`SKIPPED: ${title} is not installed; ${install}`)
    it.skip(install)
  })
}

function isInstalled(pin: string, venv: string): boolean {
  try {
    return readFileSync(inFolder(`${venv}/installed.txt`), 'utf8')
      .split('\n')
      .includes(pin)
  } catch {
    // No such file: nothing is installed.
    return false
  }
}

/** llama.cpp's server with a tiny model, which answers chats at once or slowly, or embeds texts. */
export async function startLlama(does: keyof typeof SIZES = 'chat'): Promise<Llama> {
  const port = await freePort()
  const mode = does === 'embeddings' ? does : 'chat'
  const engine = await start([inFolder('servers/llama.py'), modelOf(SIZES[does]), String(port), mode], port, '/health')
  const gauge = async (name: string): Promise<number> => {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    return Number(new RegExp(`^llamacpp:${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN)
  }
  return { ...engine, made: () => gauge('tokens_predicted_total'), busy: () => gauge('requests_processing') }
}

/** vLLM on the CPU with a tiny model, which keeps prefixes and reports how much of a prompt it had. */
export async function startVllm(more: readonly string[] = []): Promise<Vllm> {
  const port = await freePort()
  const model = join(mkdtempSync(join(tmpdir(), 'tiny-model-')), 'tiny')
  writeTinyVllmModel(model)
  const flags = ['--enforce-eager', '--enable-prompt-tokens-details', '--load-format', 'dummy', '--dtype', 'float32']
  const place = ['--host', '127.0.0.1', '--port', String(port), '--served-model-name', 'test-model']
  const args = [inFolder(`${VLLM.venv}/bin/vllm`), 'serve', model, ...place, ...flags, ...more]
  const engine = await start(args, port, '/health', {
    ...{ venv: VLLM.venv, env: ON_ONE_CPU },
    ...{ patience: STARTS_SLOWLY, isFamily: true },
  })
  const read = async (name: string): Promise<number> => {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    return Number(new RegExp(`^vllm:${name}\\{[^}]*\\} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN)
  }
  return {
    ...engine,
    prefixes: async () => [await read('prefix_cache_queries_total'), await read('prefix_cache_hits_total')],
    waiting: () => read('num_requests_waiting'),
  }
}

/** LiteLLM's proxy with answers that it makes up. */
export async function startLitellm(): Promise<Engine> {
  const port = await freePort()
  const args = ['--config', inFolder('servers/litellm.yaml'), '--host', '127.0.0.1', '--port', String(port)]
  return start([inFolder('.venv/bin/litellm'), ...args], port, '/health/liveliness')
}

const SIZES = { chat: CHAT_SIZE, 'slow chat': SLOW_SIZE, embeddings: EMBEDDING_SIZE } as const

/** One of each size in a run. */
const models = new Map<TinySize, string>()

function modelOf(size: TinySize): string {
  const written = models.get(size)
  if (written !== undefined) return written
  const path = join(mkdtempSync(join(tmpdir(), 'tiny-model-')), 'tiny.gguf')
  writeTinyModel(path, size)
  models.set(size, path)
  return path
}

/** Nothing is to be asked of the outside. */
const OFFLINE = {
  HF_HUB_OFFLINE: '1',
  DO_NOT_TRACK: '1',
  LITELLM_LOCAL_MODEL_COST_MAP: 'True',
  OMP_NUM_THREADS: '1',
  PYTHONUNBUFFERED: '1',
}

/** A gigabyte for the cache, and no thread bound to a core. */
const ON_ONE_CPU = { VLLM_CPU_KVCACHE_SPACE: '1', VLLM_CPU_OMP_THREADS_BIND: 'nobind', VLLM_NO_USAGE_STATS: '1' }

/** LiteLLM reads its modules for up to a minute on a busy machine, and vLLM for longer. */
const STARTS = { timeout: 4 * HANGS_MS, interval: 100 }
const STARTS_SLOWLY = { timeout: 15 * HANGS_MS, interval: 100 }

async function start(
  args: readonly string[],
  port: number,
  readyPath: string,
  { venv = USUAL.venv, env = {}, patience = STARTS, isFamily = false }: Starting = {},
): Promise<Engine> {
  const child = spawn(inFolder(`${venv}/bin/python`), args, {
    env: childEnv({ ...OFFLINE, ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: isFamily,
  })
  let said = ''
  for (const output of [child.stdout, child.stderr]) output.on('data', bytes => (said += bytes))
  const ended = once(child, 'close').then(() => {
    throw new Error(`the engine ended: ${said.slice(-2000)}`)
  })
  const ready = eventually(async () => {
    const { ok } = await fetch(`http://127.0.0.1:${port}${readyPath}`)
    if (!ok) throw new Error('is not ready')
  }, patience)
  await Promise.race([ready, ended])
  ended.catch(() => {})
  return { url: `http://127.0.0.1:${port}/v1`, kill: () => kill(child, isFamily) }
}

interface Starting {
  readonly venv?: string
  readonly env?: Readonly<Record<string, string>>
  readonly patience?: typeof STARTS
  /** It has processes of its own, which would outlive it. */
  readonly isFamily?: boolean
}

async function kill(child: ChildProcess, isFamily: boolean): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const closed = once(child, 'close')
  if (isFamily && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  else child.kill('SIGKILL')
  await closed
}
