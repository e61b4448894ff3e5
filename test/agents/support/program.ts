import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { HANGS_MS } from '../../lanes/hangs.ts'

/** One task for a program of `clients/`. */
export interface Task {
  /** Which of its ways to ask: `chat`, `responses`. */
  readonly form: string
  /** Which of the library's own clients it asks by, where a form has several. */
  readonly way?: string
  readonly baseURL: string
  readonly key: string
  readonly model: string
  readonly stream: boolean
  readonly prompt: string
}

export interface Outcome {
  readonly text: string
  /** Tools that ran, oldest first. */
  readonly ran: readonly string[]
  /** The client's own count, if it reports one. */
  readonly usage?: { readonly input: number; readonly output: number }
  /** The result of a form that is not a task. */
  readonly value?: unknown
}

/** A program that uses one library: it reads a task from each line of its input, and writes what came of it. */
export class Program {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #lines: AsyncIterator<string>
  #complaints = ''

  constructor(command: readonly [string, ...string[]]) {
    const [program, ...args] = command
    this.#child = spawn(program, args, {
      env: { ...quiet, PATH: process.env.PATH, HOME: process.env.TMPDIR ?? '/tmp' },
    })
    this.#child.stderr.on('data', (text: Buffer) => {
      this.#complaints = `${this.#complaints}${text}`.slice(-4000)
    })
    // Input that it did not read is lost: it has ended, which is detected below.
    this.#child.stdin.on('error', () => {})
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]()
  }

  async run(task: Task): Promise<Outcome> {
    this.#child.stdin.write(`${JSON.stringify(task)}\n`)
    for (;;) {
      const { value, done } = await this.#lines.next()
      if (done) throw new Error(`the program ended:\n${this.#complaints}`)
      // Libraries print advice.
      if (!value.startsWith(MARK)) continue
      const said = JSON.parse(value.slice(MARK.length))
      if (said.error !== undefined) throw new Error(`${said.error}\n${this.#complaints}`)
      return said
    }
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null) return
    const over = once(this.#child, 'exit')
    this.#child.stdin.end()
    // One that hangs has failed its test already.
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), HANGS_MS)
    await over
    clearTimeout(timer)
  }
}

const MARK = 'outcome '

/** No library is to report home. */
const quiet = {
  OPENAI_AGENTS_DISABLE_TRACING: '1',
  LANGCHAIN_TRACING_V2: 'false',
  LITELLM_LOCAL_MODEL_COST_MAP: 'True',
  LITELLM_MODE: 'PRODUCTION',
  AI_SDK_LOG_WARNINGS: 'false',
}
